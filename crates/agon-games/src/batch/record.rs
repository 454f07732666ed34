//! The macro `record!` and the traits behind it: Rust structs with the layout of C structs. Each
//! game's `batch.rs` defines its questions and answers with it. The generators of the C headers and
//! Rust modules read the layouts.

/// A record of fixed size.
pub trait Record: Sized {
    /// Its layout.
    const LAYOUT: Layout;
    /// Bytes of it.
    const SIZE: usize;

    /// Writes it.
    ///
    /// # Panics
    /// If `out` is not [`Record::SIZE`] bytes long.
    fn put(&self, out: &mut [u8]);

    /// Reads it; every bit pattern is a record.
    ///
    /// # Panics
    /// If `bytes` is not [`Record::SIZE`] bytes long.
    fn get(bytes: &[u8]) -> Self;

    /// Appends it.
    fn append(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + Self::SIZE, 0);
        self.put(&mut out[start..]);
    }
}

/// The layout of a record.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Its name in C, without `struct`.
    pub name: &'static str,
    /// What it is, in lines.
    pub doc: &'static [&'static str],
    /// Its fields in order.
    pub fields: &'static [FieldLayout],
    /// Bytes of it.
    pub size: usize,
    /// Its address must be a multiple of this.
    pub align: usize,
}

/// The layout of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldLayout {
    /// Its name.
    pub name: &'static str,
    /// What it is, in lines.
    pub doc: &'static [&'static str],
    /// The C type of its elements.
    pub c_type: &'static str,
    /// How many elements it has along each dimension; empty if it is no array.
    pub dimensions: &'static [usize],
    /// Where it begins.
    pub offset: usize,
}

/// A number that fields are made of.
pub trait Element: Copy + Default {
    /// Its type in C.
    const C_TYPE: &'static str;
    /// Bytes of it, which is its alignment as well.
    const SIZE: usize;

    /// Writes it, little-endian.
    fn put(self, out: &mut [u8]);

    /// Reads it.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($type:ident $c_type:literal)*) => { $(
        impl Element for $type {
            const C_TYPE: &'static str = $c_type;
            const SIZE: usize = size_of::<$type>();

            #[inline]
            fn put(self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn get(bytes: &[u8]) -> $type {
                let mut array = [0; size_of::<$type>()];
                array.copy_from_slice(bytes);
                $type::from_le_bytes(array)
            }
        }
    )* };
}

element! { u8 "uint8_t" u16 "uint16_t" u32 "uint32_t" u64 "uint64_t" i32 "int32_t" }

/// What a field of a record can be: a number, another record, or an array of numbers with one or
/// two dimensions.
pub trait Field: Sized {
    /// The C type of its elements.
    const C_TYPE: &'static str;
    /// Its offset must be a multiple of this.
    const ALIGN: usize;
    /// How many elements it has along each dimension.
    const DIMENSIONS: &'static [usize];
    /// Bytes of it.
    const BYTES: usize;

    /// Writes it.
    fn write(&self, out: &mut [u8]);

    /// Reads it.
    fn read(bytes: &[u8]) -> Self;
}

impl<E: Element> Field for E {
    const C_TYPE: &'static str = E::C_TYPE;
    const ALIGN: usize = E::SIZE;
    const DIMENSIONS: &'static [usize] = &[];
    const BYTES: usize = E::SIZE;

    #[inline]
    fn write(&self, out: &mut [u8]) {
        Element::put(*self, out);
    }

    #[inline]
    fn read(bytes: &[u8]) -> E {
        Element::get(bytes)
    }
}

impl<E: Element, const N: usize> Field for [E; N] {
    const C_TYPE: &'static str = E::C_TYPE;
    const ALIGN: usize = E::SIZE;
    const DIMENSIONS: &'static [usize] = &[N];
    const BYTES: usize = N * E::SIZE;

    #[inline]
    fn write(&self, out: &mut [u8]) {
        for (element, out) in self.iter().zip(out.chunks_exact_mut(E::SIZE)) {
            element.put(out);
        }
    }

    #[inline]
    fn read(bytes: &[u8]) -> [E; N] {
        let mut array = [E::default(); N];
        for (element, bytes) in array.iter_mut().zip(bytes.chunks_exact(E::SIZE)) {
            *element = E::get(bytes);
        }
        array
    }
}

impl<E: Element, const N: usize, const M: usize> Field for [[E; N]; M] {
    const C_TYPE: &'static str = E::C_TYPE;
    const ALIGN: usize = E::SIZE;
    const DIMENSIONS: &'static [usize] = &[M, N];
    const BYTES: usize = M * N * E::SIZE;

    #[inline]
    fn write(&self, out: &mut [u8]) {
        for (row, out) in self.iter().zip(out.chunks_exact_mut(N * E::SIZE)) {
            row.write(out);
        }
    }

    #[inline]
    fn read(bytes: &[u8]) -> [[E; N]; M] {
        std::array::from_fn(|row| Field::read(&bytes[row * N * E::SIZE..(row + 1) * N * E::SIZE]))
    }
}

/// Defines a record: a struct of [`Field`]s with its name in C. A record may be a field of another.
///
/// Every field must start at a multiple of its alignment, and the size must be a multiple of the
/// largest alignment. Otherwise the record does not compile: add fields for the padding.
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident = $c_name:literal {
            $( $(#[doc = $field_doc:literal])* $field:ident : $type:tt, )*
        }
    ) => {
        $(#[doc = $doc])*
        // The C header has the same comments; brackets in them are indices.
        #[allow(rustdoc::broken_intra_doc_links)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $( $(#[doc = $field_doc])* pub $field: $type, )*
        }

        impl $crate::batch::Record for $name {
            const LAYOUT: $crate::batch::Layout = {
                use $crate::batch::{Field, FieldLayout, Layout};
                let mut at = 0;
                let mut align = 1;
                $(
                    let $field = FieldLayout {
                        name: stringify!($field),
                        doc: &[$($field_doc),*],
                        c_type: <$type as Field>::C_TYPE,
                        dimensions: <$type as Field>::DIMENSIONS,
                        offset: at,
                    };
                    assert!(usize::is_multiple_of(at, <$type as Field>::ALIGN), "a field is not \
                        aligned");
                    at += <$type as Field>::BYTES;
                    if align < <$type as Field>::ALIGN {
                        align = <$type as Field>::ALIGN;
                    }
                )*
                assert!(usize::is_multiple_of(at, align), "the end of the record is not aligned");
                Layout { name: $c_name, doc: &[$($doc),*], fields: &[$($field),*], size: at, align }
            };
            const SIZE: usize = 0 $( + <$type as $crate::batch::Field>::BYTES )*;

            #[inline]
            #[allow(unused_assignments)]
            fn put(&self, out: &mut [u8]) {
                assert_eq!(out.len(), Self::SIZE, "the room has the record's size");
                let mut at = 0;
                $(
                    let size = <$type as $crate::batch::Field>::BYTES;
                    $crate::batch::Field::write(&self.$field, &mut out[at..at + size]);
                    at += size;
                )*
            }

            #[inline]
            #[allow(unused_assignments)]
            fn get(bytes: &[u8]) -> Self {
                assert_eq!(bytes.len(), Self::SIZE, "there are as many bytes as the record has");
                let mut at = 0;
                $(
                    let size = <$type as $crate::batch::Field>::BYTES;
                    let $field = <$type as $crate::batch::Field>::read(&bytes[at..at + size]);
                    at += size;
                )*
                $name { $($field),* }
            }
        }

        impl $crate::batch::Field for $name {
            const C_TYPE: &'static str = <Self as $crate::batch::Record>::LAYOUT.name;
            const ALIGN: usize = <Self as $crate::batch::Record>::LAYOUT.align;
            const DIMENSIONS: &'static [usize] = &[];
            const BYTES: usize = <Self as $crate::batch::Record>::SIZE;

            #[inline]
            fn write(&self, out: &mut [u8]) {
                $crate::batch::Record::put(self, out);
            }

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                $crate::batch::Record::get(bytes)
            }
        }
    };
}

pub(crate) use record;

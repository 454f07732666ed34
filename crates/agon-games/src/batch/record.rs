//! Records: structs with a layout that C knows as well.

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
    /// How many elements it has; `None` if it is no array.
    pub count: Option<usize>,
    /// Where it begins.
    pub offset: usize,
    /// What its offset has to be a multiple of.
    pub align: usize,
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

/// A field: a number or an array of them.
pub trait Field: Sized {
    /// What it consists of.
    type Element: Element;
    /// Its elements, if it is an array.
    const COUNT: Option<usize>;
    /// Bytes of it.
    const SIZE: usize;

    /// Writes it.
    fn put(&self, out: &mut [u8]);

    /// Reads it.
    fn get(bytes: &[u8]) -> Self;
}

impl<E: Element> Field for E {
    type Element = E;
    const COUNT: Option<usize> = None;
    const SIZE: usize = E::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        Element::put(*self, out);
    }

    #[inline]
    fn get(bytes: &[u8]) -> E {
        Element::get(bytes)
    }
}

impl<E: Element, const N: usize> Field for [E; N] {
    type Element = E;
    const COUNT: Option<usize> = Some(N);
    const SIZE: usize = N * E::SIZE;

    #[inline]
    fn put(&self, out: &mut [u8]) {
        for (element, out) in self.iter().zip(out.chunks_exact_mut(E::SIZE)) {
            element.put(out);
        }
    }

    #[inline]
    fn get(bytes: &[u8]) -> [E; N] {
        let mut array = [E::default(); N];
        for (element, bytes) in array.iter_mut().zip(bytes.chunks_exact(E::SIZE)) {
            *element = E::get(bytes);
        }
        array
    }
}

/// Defines a record: a struct whose fields are numbers and arrays of numbers, with its name in C.
///
/// Every field must begin at a multiple of its element's size, and the whole be a multiple of the largest: name
/// the padding. Otherwise it does not compile.
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident = $c_name:literal {
            $( $(#[doc = $field_doc:literal])* $field:ident : $type:tt, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $( $(#[doc = $field_doc])* pub $field: $type, )*
        }

        impl $crate::batch::Record for $name {
            const LAYOUT: $crate::batch::Layout = {
                use $crate::batch::{Element, Field, FieldLayout, Layout};
                let mut at = 0;
                $(
                    let $field = FieldLayout {
                        name: stringify!($field),
                        doc: &[$($field_doc),*],
                        c_type: <<$type as Field>::Element as Element>::C_TYPE,
                        count: <$type as Field>::COUNT,
                        offset: at,
                        align: <<$type as Field>::Element as Element>::SIZE,
                    };
                    assert!(at % $field.align == 0, "a field is not aligned");
                    at += <$type as Field>::SIZE;
                )*
                $( assert!(at % $field.align == 0, "the end of the record is not aligned"); )*
                Layout { name: $c_name, doc: &[$($doc),*], fields: &[$($field),*], size: at }
            };
            const SIZE: usize = 0 $( + <$type as $crate::batch::Field>::SIZE )*;

            #[inline]
            #[allow(unused_assignments)]
            fn put(&self, out: &mut [u8]) {
                assert_eq!(out.len(), Self::SIZE, "the room has the record's size");
                let mut at = 0;
                $(
                    let size = <$type as $crate::batch::Field>::SIZE;
                    $crate::batch::Field::put(&self.$field, &mut out[at..at + size]);
                    at += size;
                )*
            }

            #[inline]
            #[allow(unused_assignments)]
            fn get(bytes: &[u8]) -> Self {
                assert_eq!(bytes.len(), Self::SIZE, "there are as many bytes as the record has");
                let mut at = 0;
                $(
                    let size = <$type as $crate::batch::Field>::SIZE;
                    let $field = <$type as $crate::batch::Field>::get(&bytes[at..at + size]);
                    at += size;
                )*
                $name { $($field),* }
            }
        }
    };
}

pub(crate) use record;

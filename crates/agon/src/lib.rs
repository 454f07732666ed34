//! agon

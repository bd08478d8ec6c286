//! C library

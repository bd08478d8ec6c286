//! HDR

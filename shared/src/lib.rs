//! Mex and Sprague–Grundy routines.

// Package archtest checks the project's rules: which package may import which, how large packages, types and
// functions may be, how they are named and documented, and which texts no file may contain. It contains only tests.
package archtest

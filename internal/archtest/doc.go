// Package archtest checks the rules of the project: which package may import which, how large packages, types and
// functions may be, how they are named and documented, and which texts no file may contain. It has only tests.
package archtest

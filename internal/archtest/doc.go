// Package house holds the project to the rules that it gave itself: which room may
// import which, what every package says of itself, and what must not be in any
// file. It is tests only; nothing imports it.
package archtest

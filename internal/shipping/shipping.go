// Package shipping implements the use cases for shipping an item to its owner: quotes, payments, labels, tracking and
// refunds.
//
// Carriers, payment providers, printers and file stores are called outside transactions. Each step is idempotent, so
// it can be repeated after a crash.
package shipping

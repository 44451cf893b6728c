// Package shipping holds the use cases about sending an item to its owner: quotes, payment, labels, tracking and
// refunds.
//
// Carriers, payment providers, printers and file stores are called outside transactions. Each step can be repeated
// after a crash: what was done before is then found done.
package shipping

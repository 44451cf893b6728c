package shipping

// Steps holds the shipping services that background jobs use: labels, payments, refunds and tracking.
type Steps struct {
	*Labels
	*Payments
	*Refunds
	*Tracking
}

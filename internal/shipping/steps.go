package shipping

// Steps has the steps of shipping that background jobs run: labels, payments, refunds and tracking.
type Steps struct {
	*Labels
	*Payments
	*Refunds
	*Tracking
}

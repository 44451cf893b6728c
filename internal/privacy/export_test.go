package privacy

// SharedPhones is sharedPhones, for tests with a lower limit.
var SharedPhones = sharedPhones

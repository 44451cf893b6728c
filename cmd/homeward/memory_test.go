//go:build !race

package main_test

// memoryLimit is what the service may take, in MB.
const memoryLimit = 150

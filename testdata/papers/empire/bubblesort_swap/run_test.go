//go:build !race

package bubblesort_swap

import "testing"

// Run has data races, which are what is wrong with it.
func TestRun(t *testing.T) { Run() }

//go:build !race

package linkedlist_nolock

import "testing"

// Run has data races, which are what is wrong with it.
func TestRun(t *testing.T) { Run() }

//go:build !race

package pingpong

import "testing"

// Run has data races, which are what is wrong with it.
func TestRun(t *testing.T) { Run() }

//go:build !race && amd64

package linkedlist_container

import "testing"

// Run has data races, which are what is wrong with it. Where writes may be seen in
// another order, it may even find a nil in the list.
func TestRun(t *testing.T) { Run() }

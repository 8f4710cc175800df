package funcsum

import "github.com/atomvet/atomvet/passes/internal/callgraph"

// A retention says where a function may store a reference that is an argument of it.
type retention struct {
	// shared: in memory of which nothing is known, a channel, or a goroutine.
	shared bool
	// within is the bit set of the parameters in whose memory it is stored.
	within uint32
}

// A retained is a parameter of a function.
type retained struct {
	f     *callgraph.Node
	param int
}

package a

import (
	"errors"
	"math/rand"
	"sync"
	"sync/atomic"
)

var errNoEndpoint = errors.New("no endpoint available")

// subConn is a connection RPCs can be sent on.
type subConn interface {
	Invoke(method string, args []byte) ([]byte, error)
}

// endpointState is an endpoint with the number of its RPCs in flight.
type endpointState struct {
	sc      subConn
	numRPCs *atomic.Int32
}

// picker picks the endpoint with the least outstanding requests out of
// choiceCount random ones.
type picker struct {
	choiceCount    uint32
	endpointStates []endpointState // immutable
}

type pickResult struct {
	sc   subConn
	done func()
}

func (p *picker) Pick() (pickResult, error) {
	if len(p.endpointStates) == 0 {
		return pickResult{}, errNoEndpoint
	}
	var picked *endpointState
	var pickedNumRPCs int32
	for i := 0; i < int(p.choiceCount); i++ {
		es := &p.endpointStates[rand.Intn(len(p.endpointStates))]
		n := es.numRPCs.Load()
		if picked == nil || n < pickedNumRPCs {
			picked = es
			pickedNumRPCs = n
		}
	}
	// "The counter for a subchannel should be atomically incremented by one
	// after it has been successfully picked by the picker." - A48
	picked.numRPCs.Add(1)
	// "the picker should add a callback for atomically decrementing the
	// subchannel counter once the RPC finishes (regardless of Status code)." -
	// A48.
	return pickResult{sc: picked.sc, done: func() { picked.numRPCs.Add(-1) }}, nil
}

// leastRequestBalancer makes a new picker of every update of the endpoints.
type leastRequestBalancer struct {
	mu          sync.Mutex
	choiceCount uint32
	numRPCs     map[string]*atomic.Int32 // counters survive an update
	picker      atomic.Pointer[picker]
}

func newBalancer(choiceCount uint32) *leastRequestBalancer {
	lrb := &leastRequestBalancer{
		choiceCount: max(choiceCount, 2),
		numRPCs:     map[string]*atomic.Int32{},
	}
	lrb.picker.Store(&picker{choiceCount: lrb.choiceCount})
	return lrb
}

// UpdateEndpoints sets the ready endpoints.
func (lrb *leastRequestBalancer) UpdateEndpoints(ready map[string]subConn) {
	lrb.mu.Lock()
	defer lrb.mu.Unlock()
	for addr := range lrb.numRPCs {
		if _, ok := ready[addr]; !ok {
			delete(lrb.numRPCs, addr)
		}
	}
	p := &picker{choiceCount: lrb.choiceCount}
	for addr, sc := range ready {
		n := lrb.numRPCs[addr]
		if n == nil {
			n = new(atomic.Int32)
			lrb.numRPCs[addr] = n
		}
		p.endpointStates = append(p.endpointStates, endpointState{sc, n})
	}
	lrb.picker.Store(p)
}

// Invoke sends one RPC.
func (lrb *leastRequestBalancer) Invoke(method string, args []byte) ([]byte, error) {
	res, err := lrb.picker.Load().Pick()
	if err != nil {
		return nil, err
	}
	defer res.done()
	return res.sc.Invoke(method, args)
}

package weightedtarget

import (
	"errors"
	"sync"
)

// ConnState indicates the state of connectivity.
type ConnState int

const (
	Idle ConnState = iota
	Connecting
	Ready
	TransientFailure
)

var (
	ErrNoSubConnAvailable = errors.New("no SubConn is available")
	ErrTransientFailure   = errors.New("all SubConns are in TransientFailure")
)

// Picker picks a connection for an RPC.
type Picker interface {
	Pick(n uint32) (string, error)
}

// State is the state of a balancer as reported to its parent.
type State struct {
	ConnectivityState ConnState
	Picker            Picker
}

// ParentConn is the ClientConn of the parent.
type ParentConn interface {
	UpdateState(State)
}

type errPicker struct{ err error }

func (p *errPicker) Pick(uint32) (string, error) { return "", p.err }

type weightedPickerState struct {
	weight uint32
	state  State
	// stateToAggregate is the connectivity state used only for state
	// aggregation. It could be different from state.ConnectivityState.
	stateToAggregate ConnState
}

// Aggregator is the weighted balancer state aggregator.
type Aggregator struct {
	cc ParentConn

	mu sync.Mutex
	// If started is false, no updates should be sent to the parent cc. A closed
	// sub-balancer could still send pickers to this aggregator.
	started bool
	// All balancer IDs exist as keys in this map, even if balancer group is not
	// started.
	//
	// If an ID is not in map, it's either removed or never added.
	idToPickerState map[string]*weightedPickerState
}

// NewAggregator creates a new weighted balancer state aggregator.
func NewAggregator(cc ParentConn) *Aggregator {
	return &Aggregator{
		cc:              cc,
		idToPickerState: make(map[string]*weightedPickerState),
	}
}

// Start starts the aggregator.
func (wbsa *Aggregator) Start() {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	wbsa.started = true
}

// Stop stops the aggregator. When the aggregator is closed, it won't call
// parent ClientConn to update balancer state.
func (wbsa *Aggregator) Stop() {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	wbsa.started = false
}

// Add adds a sub-balancer state with weight. It adds a place holder, and waits for
// the real sub-balancer to update state.
func (wbsa *Aggregator) Add(id string, weight uint32) {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	wbsa.idToPickerState[id] = &weightedPickerState{
		weight: weight,
		// Start everything in CONNECTING, so if one of the sub-balancers
		// reports TransientFailure, the RPCs will still wait for the other
		// sub-balancers.
		state: State{
			ConnectivityState: Connecting,
			Picker:            &errPicker{ErrNoSubConnAvailable},
		},
		stateToAggregate: Connecting,
	}
}

// Remove removes the sub-balancer state. Future updates from this sub-balancer,
// if any, will be ignored.
func (wbsa *Aggregator) Remove(id string) {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	delete(wbsa.idToPickerState, id)
}

// UpdateWeight updates the weight for the given id. Note that this doesn't
// trigger an update to the parent ClientConn. The caller should decide when
// it's necessary, and call BuildAndUpdate.
func (wbsa *Aggregator) UpdateWeight(id string, newWeight uint32) {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	pState, ok := wbsa.idToPickerState[id]
	if !ok {
		return
	}
	pState.weight = newWeight
}

// UpdateState is called to report a balancer state change from sub-balancer.
// It's usually called by the balancer group.
//
// It calls parent ClientConn's UpdateState with the new aggregated state.
func (wbsa *Aggregator) UpdateState(id string, newState State) {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	oldState, ok := wbsa.idToPickerState[id]
	if !ok {
		// All state starts with an entry in pickStateMap. If ID is not in map,
		// it's either removed, or never existed.
		return
	}
	if !(oldState.state.ConnectivityState == TransientFailure && newState.ConnectivityState == Connecting) {
		oldState.stateToAggregate = newState.ConnectivityState
	}
	oldState.state = newState

	if !wbsa.started {
		return
	}
	wbsa.cc.UpdateState(wbsa.build())
}

// BuildAndUpdate combines the sub-state from each sub-balancer into one state,
// and update it to parent ClientConn.
func (wbsa *Aggregator) BuildAndUpdate() {
	wbsa.mu.Lock()
	defer wbsa.mu.Unlock()
	if !wbsa.started {
		return
	}
	wbsa.cc.UpdateState(wbsa.build())
}

// build combines sub-states into one.
//
// Caller must hold wbsa.mu.
func (wbsa *Aggregator) build() State {
	var connectingN, idleN int
	ready := &weightedPickerGroup{}
	for _, ps := range wbsa.idToPickerState {
		switch ps.stateToAggregate {
		case Ready:
			ready.add(ps.state.Picker, ps.weight)
		case Connecting:
			connectingN++
		case Idle:
			idleN++
		}
	}
	switch {
	case len(ready.pickers) > 0:
		return State{ConnectivityState: Ready, Picker: ready}
	case connectingN > 0:
		return State{ConnectivityState: Connecting, Picker: &errPicker{ErrNoSubConnAvailable}}
	case idleN > 0:
		return State{ConnectivityState: Idle, Picker: &errPicker{ErrNoSubConnAvailable}}
	}
	return State{ConnectivityState: TransientFailure, Picker: &errPicker{ErrTransientFailure}}
}

type weightedPickerGroup struct {
	pickers []Picker
	weights []uint32
	sum     uint32
}

func (pg *weightedPickerGroup) add(p Picker, weight uint32) {
	pg.pickers = append(pg.pickers, p)
	pg.weights = append(pg.weights, weight)
	pg.sum += weight
}

func (pg *weightedPickerGroup) Pick(n uint32) (string, error) {
	if pg.sum == 0 {
		return "", ErrNoSubConnAvailable
	}
	m := n % pg.sum
	for i, w := range pg.weights {
		if m < w {
			return pg.pickers[i].Pick(n)
		}
		m -= w
	}
	return "", ErrNoSubConnAvailable
}

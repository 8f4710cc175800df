package weightedtarget

import "fmt"

// Child is a sub-balancer. It reports its states by the function that it was
// built with, from UpdateClientConnState as well as from its own goroutines.
type Child interface {
	UpdateClientConnState(addrs []string) error
	// Close closes the sub-balancer. It waits for its goroutines, so no state
	// is reported any more once it has returned.
	Close()
}

// ChildBuilder builds a sub-balancer.
type ChildBuilder func(update func(State)) Child

// Target represents one target with the weight and the child policy.
type Target struct {
	Weight      uint32
	ChildPolicy string
}

// ClientConnState describes the state of a ClientConn relevant to the
// balancer.
type ClientConnState struct {
	Targets   map[string]Target
	Addresses map[string][]string
}

type weightedTargetBalancer struct {
	builders        map[string]ChildBuilder
	stateAggregator *Aggregator

	children map[string]Child
	targets  map[string]Target
}

// NewBalancer returns a weighted_target balancer. Its methods are called by
// the ClientConn, one at a time.
func NewBalancer(cc ParentConn, builders map[string]ChildBuilder) *weightedTargetBalancer {
	b := &weightedTargetBalancer{
		builders:        builders,
		stateAggregator: NewAggregator(cc),
		children:        make(map[string]Child),
	}
	b.stateAggregator.Start()
	return b
}

// UpdateClientConnState takes the new targets in balancer group,
// creates/deletes sub-balancers and sends them update.
func (b *weightedTargetBalancer) UpdateClientConnState(s ClientConnState) error {
	for name, t := range s.Targets {
		if b.builders[t.ChildPolicy] == nil {
			return fmt.Errorf("unknown child policy %q of target %q", t.ChildPolicy, name)
		}
	}

	var rebuildStateAndPicker bool

	b.stateAggregator.PauseStateUpdates()
	defer b.stateAggregator.ResumeStateUpdates()

	// Remove sub-pickers and sub-balancers that are not in the new config.
	for name := range b.targets {
		if _, ok := s.Targets[name]; !ok {
			b.stateAggregator.Remove(name)
			b.remove(name)
			// Trigger a state/picker update, because we don't want `ClientConn`
			// to pick this sub-balancer anymore.
			rebuildStateAndPicker = true
		}
	}

	// For sub-balancers in the new config
	// - if it's new. add to balancer group,
	// - if it's old, but has a new weight, update weight in balancer group.
	//
	// For all sub-balancers, forward the address/balancer config update.
	for name, newT := range s.Targets {
		oldT, ok := b.targets[name]
		if !ok {
			// If this is a new sub-balancer, add weights to the picker map.
			b.stateAggregator.Add(name, newT.Weight)
			// Then add to the balancer group.
			b.add(name, newT.ChildPolicy)
			// Not trigger a state/picker update. Wait for the new sub-balancer
			// to send its updates.
		} else if newT.ChildPolicy != oldT.ChildPolicy {
			// If the child policy name is differet, remove from balancer group
			// and re-add.
			b.stateAggregator.Remove(name)
			b.remove(name)
			b.stateAggregator.Add(name, newT.Weight)
			b.add(name, newT.ChildPolicy)
			rebuildStateAndPicker = true
		} else if newT.Weight != oldT.Weight {
			// If this is an existing sub-balancer, update weight if necessary.
			b.stateAggregator.UpdateWeight(name, newT.Weight)
			// Trigger a state/picker update, because we don't want `ClientConn`
			// should do picks with the new weights now.
			rebuildStateAndPicker = true
		}

		// Forwards all the update:
		// - addresses are from the map after splitting with hierarchy path.
		_ = b.children[name].UpdateClientConnState(s.Addresses[name])
	}

	b.targets = s.Targets

	if rebuildStateAndPicker {
		b.stateAggregator.BuildAndUpdate()
	}
	return nil
}

func (b *weightedTargetBalancer) add(name, policy string) {
	b.children[name] = b.builders[policy](func(s State) {
		b.stateAggregator.UpdateState(name, s)
	})
}

func (b *weightedTargetBalancer) remove(name string) {
	b.children[name].Close()
	delete(b.children, name)
}

// Close closes the balancer and its sub-balancers.
func (b *weightedTargetBalancer) Close() {
	b.stateAggregator.Stop()
	for name := range b.children {
		b.remove(name)
	}
}

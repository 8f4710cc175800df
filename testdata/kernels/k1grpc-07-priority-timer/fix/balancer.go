// Package priority uses the child of the highest priority that works.
package priority

import (
	"errors"
	"sync"
	"time"
)

// State of a child.
type State int

const (
	Connecting State = iota
	Ready
	TransientFailure
)

// ChildState is what a child, and also the balancer, reports.
type ChildState struct {
	State  State
	Picker any
}

// ClientConn is the parent.
type ClientConn interface {
	UpdateState(s ChildState)
}

// BalancerGroup runs the children. It does not call back with its lock held.
type BalancerGroup interface {
	Add(name string)
	Remove(name string)
	UpdateClientConnState(name string, config any)
	Close()
}

// LBConfig has the configs of the children, and their names from high to low priority.
type LBConfig struct {
	Children   map[string]any
	Priorities []string
}

type childStateWithName struct {
	name string
	s    ChildState
}

// timerWrapper wraps a timer with a boolean. So that when a race happens
// between AfterFunc and Stop, the func is guaranteed to not execute.
type timerWrapper struct {
	stopped bool
	timer   *time.Timer
}

type priorityBalancer struct {
	cc               ClientConn
	bg               BalancerGroup
	done             chan struct{}
	childStateUpdate chan *childStateWithName

	mu         sync.Mutex
	closed     bool
	childInUse string
	// 0 is the highest priority.
	priorityInUse   int
	priorities      []string
	childToPriority map[string]int
	children        map[string]*childBalancer
	// The timer to give a priority some time to connect. And if the priority
	// doesn't go into Ready/Failure, the next priority will be started.
	priorityInitTimer *timerWrapper
}

// NewBalancer starts a balancer.
func NewBalancer(cc ClientConn, bg BalancerGroup) *priorityBalancer {
	b := &priorityBalancer{
		cc:               cc,
		bg:               bg,
		done:             make(chan struct{}),
		childStateUpdate: make(chan *childStateWithName, 100),
		childToPriority:  make(map[string]int),
		children:         make(map[string]*childBalancer),
	}
	go b.run()
	return b
}

// UpdateClientConnState handles a new config.
func (b *priorityBalancer) UpdateClientConnState(newConfig *LBConfig) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errors.New("balancer is closed")
	}
	for name, newSubConfig := range newConfig.Children {
		currentChild, ok := b.children[name]
		if !ok {
			currentChild = &childBalancer{name: name, parent: b}
			b.children[name] = currentChild
		}
		currentChild.config = newSubConfig
	}
	for name, oldChild := range b.children {
		if _, ok := newConfig.Children[name]; !ok {
			oldChild.stop()
		}
	}
	b.priorities = newConfig.Priorities
	b.childToPriority = make(map[string]int, len(newConfig.Priorities))
	for pi, pName := range newConfig.Priorities {
		b.childToPriority[pName] = pi
	}
	b.syncPriority()
	return nil
}

// Close stops the balancer. It is called once, as the last call of the parent.
func (b *priorityBalancer) Close() {
	b.bg.Close()

	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	close(b.done)
	b.childInUse = ""
	b.stopPriorityInitTimer()
}

// stopPriorityInitTimer stops the priorityInitTimer if it's not nil, and set it
// to nil. Caller must hold b.mu.
func (b *priorityBalancer) stopPriorityInitTimer() {
	timerW := b.priorityInitTimer
	if timerW == nil {
		return
	}
	b.priorityInitTimer = nil
	timerW.stopped = true
	timerW.timer.Stop()
}

// UpdateState is called by the balancer group.
func (b *priorityBalancer) UpdateState(childName string, state ChildState) {
	select {
	case b.childStateUpdate <- &childStateWithName{name: childName, s: state}:
	case <-b.done:
	}
}

// run handles child updates in a separate goroutine.
func (b *priorityBalancer) run() {
	for {
		select {
		case s := <-b.childStateUpdate:
			b.handleChildStateUpdate(s.name, s.s)
		case <-b.done:
			return
		}
	}
}

type childBalancer struct {
	name    string
	parent  *priorityBalancer
	config  any
	started bool
	state   ChildState
}

func (cb *childBalancer) start() {
	if cb.started {
		return
	}
	cb.started = true
	cb.parent.bg.Add(cb.name)
}

func (cb *childBalancer) sendUpdate() {
	cb.parent.bg.UpdateClientConnState(cb.name, cb.config)
}

func (cb *childBalancer) stop() {
	if !cb.started {
		return
	}
	cb.parent.bg.Remove(cb.name)
	cb.started = false
	cb.state = ChildState{State: Connecting}
}

package node

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrNodeRunning = errors.New("node already running")
	ErrNodeStopped = errors.New("node not started")
)

const (
	initializingState = iota
	runningState
	closedState
)

// Lifecycle encompasses the behavior of services that can be started and stopped
// on the node.
type Lifecycle interface {
	Start() error
	Stop() error
}

// Node is a container on which services can be registered.
type Node struct {
	stop          chan struct{} // Channel to wait for termination notifications
	startStopLock sync.Mutex    // Start/Stop are protected by an additional lock
	state         int           // Tracks state of node lifecycle

	lock       sync.Mutex
	lifecycles []Lifecycle // All registered backends, services, and auxiliary services that have a lifecycle
	databases  map[*db]struct{}
}

type db struct {
	n    *Node
	name string
}

// New creates a new P2P node, ready for protocol registration.
func New() *Node {
	return &Node{stop: make(chan struct{}), databases: make(map[*db]struct{})}
}

// Start starts all registered lifecycles. Node can only be started once.
func (n *Node) Start() error {
	n.startStopLock.Lock()
	defer n.startStopLock.Unlock()

	n.lock.Lock()
	switch n.state {
	case runningState:
		n.lock.Unlock()
		return ErrNodeRunning
	case closedState:
		n.lock.Unlock()
		return ErrNodeStopped
	}
	n.state = runningState
	lifecycles := make([]Lifecycle, len(n.lifecycles))
	copy(lifecycles, n.lifecycles)
	n.lock.Unlock()

	// Start all registered lifecycles.
	var started []Lifecycle
	var err error
	for _, lifecycle := range lifecycles {
		if err = lifecycle.Start(); err != nil {
			break
		}
		started = append(started, lifecycle)
	}
	// Check if any lifecycle failed to start.
	if err != nil {
		n.stopServices(started)
		n.doClose(nil)
	}
	return err
}

// Close stops the Node and releases resources acquired in
// Node constructor New.
func (n *Node) Close() error {
	n.startStopLock.Lock()
	defer n.startStopLock.Unlock()

	n.lock.Lock()
	state := n.state
	n.lock.Unlock()
	switch state {
	case initializingState:
		// The node was never started.
		return n.doClose(nil)
	case runningState:
		// The node was started, release resources acquired by Start().
		var errs []error
		if err := n.stopServices(n.lifecycles); err != nil {
			errs = append(errs, err)
		}
		return n.doClose(errs)
	case closedState:
		return ErrNodeStopped
	default:
		panic(fmt.Sprintf("node is in unknown state %d", state))
	}
}

// doClose releases resources acquired by New(), collecting errors.
func (n *Node) doClose(errs []error) error {
	// Close databases. This needs the lock because it needs to
	// synchronize with OpenDatabase*.
	n.lock.Lock()
	n.state = closedState
	for d := range n.databases {
		delete(n.databases, d)
	}
	n.lock.Unlock()

	// Unblock n.Wait.
	close(n.stop)
	return errors.Join(errs...)
}

// stopServices terminates running services.
// It is the inverse of Start.
func (n *Node) stopServices(running []Lifecycle) error {
	var errs []error
	for i := len(running) - 1; i >= 0; i-- {
		if err := running[i].Stop(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Wait blocks until the node is closed.
func (n *Node) Wait() { <-n.stop }

// RegisterLifecycle registers the given Lifecycle on the node.
func (n *Node) RegisterLifecycle(lifecycle Lifecycle) {
	n.lock.Lock()
	defer n.lock.Unlock()

	if n.state != initializingState {
		panic("can't register lifecycle on running/stopped node")
	}
	n.lifecycles = append(n.lifecycles, lifecycle)
}

// OpenDatabase opens a database that is closed with the node.
func (n *Node) OpenDatabase(name string) (*db, error) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.state == closedState {
		return nil, ErrNodeStopped
	}
	d := &db{n: n, name: name}
	n.databases[d] = struct{}{}
	return d, nil
}

// Package bug creates consumers in a cluster.
package bug

import (
	"errors"
	"sync"
)

// ErrNoStream is returned for unknown streams.
var ErrNoStream = errors.New("stream not found")

// RaftNode replicates the entries of one group.
type RaftNode interface {
	ApplyQ() <-chan []byte
	QuitC() <-chan struct{}
}

type raftGroup struct {
	Name string
	node RaftNode // guarded by the lock of jetStream
}

type consumerAssignment struct {
	Stream, Name string
	Filter       string
	Group        *raftGroup
}

type jetStream struct {
	newNode func(name string) (RaftNode, error)
	wg      sync.WaitGroup

	mu      sync.RWMutex
	nodes   map[string]RaftNode
	streams map[string]*stream
}

type stream struct {
	mu        sync.RWMutex
	consumers map[string]*consumer
}

func (mset *stream) lookupConsumer(name string) *consumer {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.consumers[name]
}

func (mset *stream) addConsumer(ca *consumerAssignment, node RaftNode) *consumer {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if o := mset.consumers[ca.Name]; o != nil {
		return o
	}
	o := &consumer{name: ca.Name, filter: ca.Filter, node: node}
	mset.consumers[ca.Name] = o
	return o
}

type consumer struct {
	name string
	node RaftNode

	mu      sync.RWMutex
	filter  string
	applied uint64
}

func (o *consumer) updateFilter(f string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.filter = f
}

func (o *consumer) apply(entry []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.applied += uint64(len(entry))
}

// createRaftGroup makes sure that the node of the group is running.
func (js *jetStream) createRaftGroup(rg *raftGroup) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	if rg.node != nil {
		return nil
	}
	if n, ok := js.nodes[rg.Name]; ok {
		rg.node = n
		return nil
	}
	n, err := js.newNode(rg.Name)
	if err != nil {
		return err
	}
	js.nodes[rg.Name] = n
	rg.node = n
	return nil
}

// processClusterCreateConsumer is called for each assignment, also repeatedly.
func (js *jetStream) processClusterCreateConsumer(ca *consumerAssignment) error {
	js.mu.RLock()
	rg := ca.Group
	alreadyRunning := rg.node != nil
	mset := js.streams[ca.Stream]
	js.mu.RUnlock()
	if mset == nil {
		return ErrNoStream
	}

	// Check if we already have this consumer running.
	o := mset.lookupConsumer(ca.Name)
	if !alreadyRunning {
		// Process the raft group and make sure its running if needed.
		if err := js.createRaftGroup(rg); err != nil {
			return err
		}
	}
	if o == nil {
		js.mu.RLock()
		node := rg.node
		js.mu.RUnlock()
		o = mset.addConsumer(ca, node)
	} else {
		o.updateFilter(ca.Filter)
	}

	// Start our monitoring routine if needed.
	if !alreadyRunning {
		js.wg.Add(1)
		go func() {
			defer js.wg.Done()
			js.monitorConsumer(o)
		}()
	}
	return nil
}

func (js *jetStream) monitorConsumer(o *consumer) {
	for {
		select {
		case <-o.node.QuitC():
			return
		case entry := <-o.node.ApplyQ():
			o.apply(entry)
		}
	}
}

package server

import "sync"

// raft is one member of a group.
type raft struct {
	sync.RWMutex
	leader   bool
	observer bool
}

func (n *raft) Leader() bool {
	n.RLock()
	defer n.RUnlock()
	return n.leader
}

func (n *raft) StepDown() {
	n.Lock()
	n.leader = false
	n.Unlock()
}

// SetObserver will set the node to observe only mode.
func (n *raft) SetObserver(isObserver bool) {
	n.Lock()
	n.observer = isObserver
	if isObserver {
		n.leader = false
	}
	n.Unlock()
}

// elected is called when the group has elected us.
func (n *raft) elected() bool {
	n.Lock()
	defer n.Unlock()
	if n.observer {
		return false
	}
	n.leader = true
	return true
}

type consumer struct {
	node *raft
}

func (o *consumer) raftNode() *raft { return o.node }

type stream struct {
	node      *raft // nil if it has one replica
	consumers []*consumer
}

func (mset *stream) raftNode() *raft { return mset.node }

func (mset *stream) getConsumers() []*consumer { return mset.consumers }

// Account has streams, which do not change.
type Account struct {
	Name string

	// Guarantee that only one goroutine can be running either checkJetStreamMigrate
	// or clearObserverState at a given time for this account to prevent interleaving.
	jscmMu sync.Mutex

	msets []*stream
}

// NewAccount makes the streams with their numbers of consumers. Streams have
// a group, also for each consumer, if they are clustered.
func NewAccount(name string, clustered bool, consumers ...int) *Account {
	a := &Account{Name: name}
	for _, n := range consumers {
		mset := &stream{}
		if clustered {
			mset.node = &raft{}
		}
		for range n {
			o := &consumer{}
			if clustered {
				o.node = &raft{}
			}
			mset.consumers = append(mset.consumers, o)
		}
		a.msets = append(a.msets, mset)
	}
	return a
}

func (a *Account) streams() []*stream { return a.msets }

// Elect is called when the groups of a stream have elected us. It returns if
// we lead all of them.
func (a *Account) Elect(i int) bool {
	mset := a.msets[i]
	if mset.node == nil {
		return true
	}
	ok := mset.node.elected()
	for _, o := range mset.consumers {
		ok = o.node.elected() && ok
	}
	return ok
}

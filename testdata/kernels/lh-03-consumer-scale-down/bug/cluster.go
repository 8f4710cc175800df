package server

import (
	"errors"
	"log"
	"sync"
)

// RaftNode is the consensus group of a replicated asset. The node reports a lost
// leadership on LeadChangeC when it is deleted.
type RaftNode interface {
	Leader() bool
	StepDown(preferred ...string) error
	LeadChangeC() <-chan bool
	ApplyC() <-chan []byte
	QuitC() <-chan struct{}
	Stop()
	Delete()
}

type raftGroup struct {
	Name  string
	Peers []string
	node  RaftNode
}

type consumerAssignment struct {
	Name   string
	Stream string
	Group  *raftGroup
	Config ConsumerConfig
	Reply  string
	// Internal
	responded bool
}

type jetStream struct {
	mu        sync.RWMutex
	consumers map[string]*consumer
	startNode func(rg *raftGroup) (RaftNode, error)
	respond   func(reply string, cfg ConsumerConfig)
	ca        chan *consumerAssignment
	quitCh    chan struct{}
}

func newJetStream(start func(*raftGroup) (RaftNode, error), respond func(string, ConsumerConfig)) *jetStream {
	js := &jetStream{
		consumers: make(map[string]*consumer),
		startNode: start,
		respond:   respond,
		ca:        make(chan *consumerAssignment, 16),
		quitCh:    make(chan struct{}),
	}
	go js.monitorCluster()
	return js
}

// monitorCluster applies assignments of the meta layer in order.
func (js *jetStream) monitorCluster() {
	for {
		select {
		case <-js.quitCh:
			return
		case ca := <-js.ca:
			js.processClusterCreateConsumer(ca)
		}
	}
}

// createRaftGroup is called to spin up this raft group if needed.
func (js *jetStream) createRaftGroup(rg *raftGroup) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	// If this is a single peer raft group return.
	if len(rg.Peers) <= 1 || rg.node != nil {
		// Nothing to do here.
		return nil
	}
	n, err := js.startNode(rg)
	if err != nil {
		return err
	}
	rg.node = n
	return nil
}

func (js *jetStream) lookupConsumer(name string) *consumer {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.consumers[name]
}

func (js *jetStream) addConsumerWithAssignment(ca *consumerAssignment) *consumer {
	o := newConsumer(js, ca.Name, ca.Config)
	js.mu.Lock()
	defer js.mu.Unlock()
	o.setNode(ca.Group.node)
	js.consumers[ca.Name] = o
	return o
}

// processClusterCreateConsumer is when we are a member of the group and need to create the consumer.
func (js *jetStream) processClusterCreateConsumer(ca *consumerAssignment) {
	js.mu.RLock()
	rg := ca.Group
	alreadyRunning := rg.node != nil
	js.mu.RUnlock()

	// Check if we already have this consumer running.
	o := js.lookupConsumer(ca.Name)

	if err := js.createRaftGroup(rg); err != nil {
		log.Printf("Consumer create failed for '%s > %s': %v", ca.Stream, ca.Name, err)
		return
	}

	var didCreate bool
	if o == nil {
		o = js.addConsumerWithAssignment(ca)
		didCreate = true
	} else {
		o.updateConfig(ca.Config)
	}

	js.mu.RLock()
	node := rg.node
	js.mu.RUnlock()

	if !didCreate {
		// Check for scale down to 1..
		if node != nil && len(rg.Peers) == 1 {
			o.clearNode()
			o.setLeader(true)
			// Need to clear from rg too.
			js.mu.Lock()
			rg.node = nil
			reply := ca.Reply
			js.mu.Unlock()
			js.respond(reply, o.info())
			return
		}
	}

	if node == nil {
		// Single replica consumer, process manually here.
		js.processConsumerLeaderChange(o, ca, true)
	} else {
		// Clustered consumer.
		// Start our monitoring routine if needed.
		if !alreadyRunning && o.shouldStartMonitor() {
			o.setNode(node)
			go js.monitorConsumer(o, ca, node)
		}
	}
}

func (js *jetStream) monitorConsumer(o *consumer, ca *consumerAssignment, n RaftNode) {
	defer o.clearMonitorRunning()

	// Make sure to stop the raft group on exit to prevent accidental memory bloat.
	defer n.Stop()

	qch, mqch, lch, ac := n.QuitC(), o.monitorQuitC(), n.LeadChangeC(), n.ApplyC()

	for {
		select {
		case <-js.quitCh:
			return
		case <-mqch:
			return
		case <-qch:
			// Raft node is closed, no use in trying to snapshot.
			return
		case e := <-ac:
			if err := js.applyConsumerEntries(o, e); err != nil {
				log.Printf("Error applying consumer entries to '%s > %s'", ca.Stream, ca.Name)
			}
		case isLeader := <-lch:
			// Process the change.
			js.processConsumerLeaderChange(o, ca, isLeader)
		}
	}
}

var errConsumerClosed = errors.New("consumer closed")

func (js *jetStream) applyConsumerEntries(o *consumer, e []byte) error {
	if o.isClosed() {
		return errConsumerClosed
	}
	o.mu.Lock()
	for _, b := range e {
		o.pending[uint64(b)]++
	}
	o.mu.Unlock()
	return nil
}

func (js *jetStream) processConsumerLeaderChange(o *consumer, ca *consumerAssignment, isLeader bool) {
	if o.isClosed() {
		if node := o.raftNode(); node != nil && isLeader {
			node.StepDown()
		}
		return
	}
	js.mu.Lock()
	hasResponded, reply := ca.responded, ca.Reply
	ca.responded = true
	js.mu.Unlock()

	// Tell consumer to switch leader status.
	o.setLeader(isLeader)

	if !isLeader || hasResponded {
		return
	}
	js.respond(reply, o.info())
}

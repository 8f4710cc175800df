package server

import (
	"log"
	"time"
)

type CommittedEntry struct {
	Index   uint64
	Entries [][]byte
}

type RaftNode interface {
	ForwardProposal(entry []byte) error
	InstallSnapshot(snap []byte) error
	Applied(index uint64)
	QuitC() <-chan struct{}
	LeadChangeC() <-chan bool
	ApplyC() <-chan *CommittedEntry
	Stop()
}

// consumerAssignment is what the meta controller uses to assign consumers to streams.
type consumerAssignment struct {
	Name    string
	Created time.Time
}

func (js *jetStream) setupMetaGroup(n RaftNode) {
	log.Printf("Creating JetStream metadata controller")

	js.mu.Lock()
	defer js.mu.Unlock()
	qch := make(chan struct{})
	js.cluster = &jetStreamCluster{
		meta:      n,
		consumers: make(map[string]*consumerAssignment),
		qch:       qch,
	}

	// Set to true before we start.
	js.metaRecovering = true
	js.srv.startGoRoutine(func() { js.monitorCluster(n, qch) })
}

// Return the cluster quit chan.
func (js *jetStream) clusterQuitC() chan struct{} {
	js.mu.RLock()
	defer js.mu.RUnlock()
	if js.cluster != nil {
		return js.cluster.qch
	}
	return nil
}

func (js *jetStream) isMetaRecovering() bool {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.metaRecovering
}

func (js *jetStream) clearMetaRecovering() {
	js.mu.Lock()
	js.metaRecovering = false
	js.mu.Unlock()
}

// Read lock should be held.
func (js *jetStream) consumerAssignment(name string) *consumerAssignment {
	if js.cluster == nil {
		return nil
	}
	return js.cluster.consumers[name]
}

func (js *jetStream) metaSnapshot() []byte {
	js.mu.RLock()
	defer js.mu.RUnlock()
	var snap []byte
	for name := range js.cluster.consumers {
		snap = append(append(snap, name...), '\n')
	}
	return snap
}

func (js *jetStream) monitorCluster(n RaftNode, qch chan struct{}) {
	s := js.srv
	rqch, lch, aq := n.QuitC(), n.LeadChangeC(), n.ApplyC()

	defer s.grWG.Done()

	log.Printf("Starting metadata monitor")
	defer log.Printf("Exiting metadata monitor")

	// Make sure to stop the raft group on exit to prevent accidental memory bloat.
	defer n.Stop()

	const compactInterval = time.Minute
	t := time.NewTicker(compactInterval)
	defer t.Stop()

	// Snapshotting function.
	doSnapshot := func() {
		// Suppress during recovery.
		if js.isMetaRecovering() {
			return
		}
		if err := n.InstallSnapshot(js.metaSnapshot()); err != nil {
			log.Printf("Error snapshotting JetStream cluster state: %v", err)
		}
	}

	for {
		select {
		case <-s.quitCh:
			return
		case <-rqch:
			return
		case <-qch:
			// Clean signal from shutdown routine so do best effort attempt to snapshot meta layer.
			doSnapshot()
			// Return the signal back since shutdown will be waiting.
			close(qch)
			return
		case ce := <-aq:
			if ce == nil {
				// Signals we have replayed all of our metadata.
				js.clearMetaRecovering()
				log.Printf("Recovered JetStream cluster metadata")
				continue
			}
			js.applyMetaEntries(ce.Entries)
			n.Applied(ce.Index)
		case isLeader := <-lch:
			if isLeader {
				doSnapshot()
			}
		case <-t.C:
			doSnapshot()
		}
	}
}

func (js *jetStream) applyMetaEntries(entries [][]byte) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, buf := range entries {
		name := string(buf[1:])
		switch buf[0] {
		case '+':
			js.cluster.consumers[name] = &consumerAssignment{Name: name, Created: time.Now()}
		case '-':
			delete(js.cluster.consumers, name)
		}
	}
}

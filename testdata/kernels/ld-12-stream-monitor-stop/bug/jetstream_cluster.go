package server

import (
	"errors"
	"log"
	"sync"
)

const noLeader = ""

type CommittedEntry struct {
	Index   uint64
	Entries [][]byte
}

type RaftNode interface {
	ProposeRemovePeer(peer string) error
	Leader() bool
	GroupLeader() string
	StepDown(preferred string) error
	Applied(index uint64)
	QuitC() <-chan struct{}
	LeadChangeC() <-chan bool
	ApplyC() <-chan []*CommittedEntry
	// Stop and Delete are idempotent.
	Stop()
	Delete()
}

type raftGroup struct {
	Peers     []string
	Preferred string
	node      RaftNode
}

func (rg *raftGroup) isMember(id string) bool {
	for _, peer := range rg.Peers {
		if peer == id {
			return true
		}
	}
	return false
}

// streamAssignment is what the meta controller uses to assign streams to peers.
type streamAssignment struct {
	Account string
	Name    string
	Group   *raftGroup
}

type jetStream struct {
	mu      sync.RWMutex
	ourID   string
	streams map[string]*streamAssignment
	jsa     *jsAccount
	newNode func(rg *raftGroup) RaftNode
	quitCh  chan struct{}
	grWG    sync.WaitGroup
}

func (js *jetStream) startGoRoutine(f func()) {
	js.grWG.Add(1)
	go f()
}

// metaEntry is a committed entry of the meta group.
type metaEntry struct {
	op byte
	sa *streamAssignment
}

func (js *jetStream) setupMetaGroup(metaC <-chan metaEntry) {
	js.startGoRoutine(func() { js.monitorCluster(metaC) })
}

func (js *jetStream) monitorCluster(metaC <-chan metaEntry) {
	defer js.grWG.Done()
	for {
		select {
		case <-js.quitCh:
			return
		case e := <-metaC:
			switch e.op {
			case '+':
				js.processStreamAssignment(e.sa)
			case '=':
				js.processUpdateStreamAssignment(e.sa)
			case '-':
				js.processStreamRemoval(e.sa.Name)
			}
		}
	}
}

// processStreamAssignment is called when followers have replicated an assignment.
func (js *jetStream) processStreamAssignment(sa *streamAssignment) {
	js.mu.Lock()
	js.streams[sa.Name] = sa
	isMember := sa.Group.isMember(js.ourID)
	if isMember && sa.Group.node == nil {
		sa.Group.node = js.newNode(sa.Group)
	}
	node := sa.Group.node
	js.mu.Unlock()

	if !isMember || js.jsa.lookupStream(sa.Name) != nil {
		return
	}
	mset := js.jsa.addStream(sa.Name, node)
	js.startGoRoutine(func() { js.monitorStream(mset, sa) })
}

// processUpdateStreamAssignment is called when followers have replicated an updated assignment.
func (js *jetStream) processUpdateStreamAssignment(sa *streamAssignment) {
	js.mu.Lock()
	osa := js.streams[sa.Name]
	if osa == nil {
		js.mu.Unlock()
		return
	}
	// Copy over private existing state from former SA.
	sa.Group.node = osa.Group.node
	js.streams[sa.Name] = sa
	isMember := sa.Group.isMember(js.ourID)
	if !isMember {
		// Make sure to clean up any old node in case this stream moves back here.
		sa.Group.node = nil
	}
	js.mu.Unlock()

	// Check if this is for us..
	if isMember {
		return
	}
	if mset := js.jsa.lookupStream(sa.Name); mset != nil {
		// We have one here even though we are not a member. This can happen on re-assignment.
		log.Printf("JetStream removing stream '%s > %s' from this server", sa.Account, sa.Name)
		if node := mset.raftNode(); node != nil {
			if node.Leader() {
				node.StepDown(sa.Group.Preferred)
			}
			node.ProposeRemovePeer(js.ourID)
		}
		mset.stop(true)
	}
}

// processStreamRemoval is called when an assignment has been removed.
func (js *jetStream) processStreamRemoval(name string) {
	js.mu.Lock()
	sa := js.streams[name]
	delete(js.streams, name)
	js.mu.Unlock()
	if sa != nil {
		js.processClusterDeleteStream(sa)
	}
}

func (js *jetStream) processClusterDeleteStream(sa *streamAssignment) {
	js.mu.RLock()
	node := sa.Group.node
	hadLeader := node == nil || node.GroupLeader() != noLeader
	js.mu.RUnlock()

	var err error
	if mset := js.jsa.lookupStream(sa.Name); mset != nil {
		err = mset.stop(true)
	}

	// Always delete the node if present.
	if node != nil {
		node.Delete()
	}
	if err != nil && hadLeader {
		log.Printf("Error deleting stream '%s > %s': %v", sa.Account, sa.Name, err)
	}
}

func (js *jetStream) monitorStream(mset *stream, sa *streamAssignment) {
	defer js.grWG.Done()

	n := mset.raftNode()
	if n == nil {
		log.Printf("No RAFT group for '%s > %s'", sa.Account, sa.Name)
		return
	}
	qch, lch, aq := n.QuitC(), n.LeadChangeC(), n.ApplyC()

	log.Printf("Starting stream monitor for '%s > %s'", sa.Account, sa.Name)
	defer log.Printf("Exiting stream monitor for '%s > %s'", sa.Account, sa.Name)

	for {
		select {
		case <-js.quitCh:
			return
		case <-qch:
			return
		case ces := <-aq:
			for _, ce := range ces {
				// Apply our entries.
				if err := js.applyStreamEntries(mset, ce); err != nil {
					log.Printf("Error applying entries to '%s > %s': %v", sa.Account, sa.Name, err)
					continue
				}
				n.Applied(ce.Index)
			}
		case isLeader := <-lch:
			mset.setLeader(isLeader)
		}
	}
}

func (js *jetStream) applyStreamEntries(mset *stream, ce *CommittedEntry) error {
	for _, buf := range ce.Entries {
		if len(buf) == 0 {
			return errors.New("bad stream msg")
		}
		// Process the actual message here.
		if _, err := mset.store.StoreMsg(buf); err != nil {
			return err
		}
	}
	return nil
}

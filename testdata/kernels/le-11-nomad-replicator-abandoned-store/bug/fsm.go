package nomad

import (
	"context"
	"encoding/json"
	"io"
	"sort"
	"sync"
)

// StateStore is the state of the server, filled by the FSM.
type StateStore struct {
	mu        sync.RWMutex
	keys      map[string]*RootKeyMeta
	latest    uint64
	abandonCh chan struct{}
}

// NewStateStore is used to create a new state store
func NewStateStore() *StateStore {
	return &StateStore{
		keys:      make(map[string]*RootKeyMeta),
		abandonCh: make(chan struct{}),
	}
}

// Abandon is used to signal that the given state store has been abandoned.
// Calling this more than one time will panic.
func (s *StateStore) Abandon() { close(s.abandonCh) }

// AbandonCh returns a channel you can wait on to know if the state store was
// abandoned.
func (s *StateStore) AbandonCh() <-chan struct{} { return s.abandonCh }

// UpsertRootKeyMeta saves root key meta
func (s *StateStore) UpsertRootKeyMeta(index uint64, meta *RootKeyMeta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	meta.ModifyIndex = index
	s.keys[meta.KeyID] = meta
	s.latest = max(s.latest, index)
}

// RootKeyMetas returns all the root key metas
func (s *StateStore) RootKeyMetas() ([]*RootKeyMeta, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	metas := make([]*RootKeyMeta, 0, len(s.keys))
	for _, m := range s.keys {
		metas = append(metas, m)
	}
	sort.Slice(metas, func(i, j int) bool { return metas[i].KeyID < metas[j].KeyID })
	return metas, nil
}

// nomadFSM implements a finite state machine that is used
// along with Raft to provide strong consistency. Apply and Restore are called
// by one goroutine of raft.
type nomadFSM struct {
	state *StateStore

	// stateLock is only used to protect outside callers to State() from
	// racing with Restore(), which is called by Raft (it puts in a totally
	// new state store). Everything internal here is synchronized by the
	// Raft side, so doesn't need to lock this.
	stateLock sync.RWMutex
}

// NewFSM is used to construct a new FSM with a blank state.
func NewFSM() *nomadFSM {
	return &nomadFSM{state: NewStateStore()}
}

// State is used to return a handle to the current state
func (n *nomadFSM) State() *StateStore {
	n.stateLock.RLock()
	defer n.stateLock.RUnlock()
	return n.state
}

// Apply applies a committed entry.
func (n *nomadFSM) Apply(index uint64, buf []byte) error {
	var meta RootKeyMeta
	if err := json.Unmarshal(buf, &meta); err != nil {
		return err
	}
	n.state.UpsertRootKeyMeta(index, &meta)
	return nil
}

// Restore replaces the state by the one of a snapshot.
func (n *nomadFSM) Restore(old io.ReadCloser) error {
	defer old.Close()

	// Create a new state store
	newState := NewStateStore()
	dec := json.NewDecoder(old)
	for {
		var meta RootKeyMeta
		if err := dec.Decode(&meta); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		newState.UpsertRootKeyMeta(meta.ModifyIndex, &meta)
	}

	// External code might be calling State(), so we need to synchronize
	// here to make sure we swap in the new state store atomically.
	n.stateLock.Lock()
	stateOld := n.state
	n.state = newState
	n.stateLock.Unlock()

	// Signal that the old state store has been abandoned. This is required
	// because we don't operate on it any more, we just throw it away, so
	// blocking queries won't see any changes and need to be woken up.
	stateOld.Abandon()
	return nil
}

// peerServer is a connection to another server of the region.
type peerServer interface {
	KeyringGet(ctx context.Context, keyID string) (*RootKey, error)
}

// Server is Nomad server which manages the job queues,
// schedulers, and notification bus for agents.
type Server struct {
	fsm         *nomadFSM
	shutdownCtx context.Context

	peerLock   sync.RWMutex
	localPeers map[string]peerServer
}

func (s *Server) getAllPeers() []peerServer {
	s.peerLock.RLock()
	defer s.peerLock.RUnlock()
	peers := make([]peerServer, 0, len(s.localPeers))
	for _, peer := range s.localPeers {
		peers = append(peers, peer)
	}
	return peers
}

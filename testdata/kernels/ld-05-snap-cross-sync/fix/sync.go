package snap

import (
	"errors"
	"log"
	"math/rand"
	"sync"
	"time"
)

// ErrCancelled is returned from snap syncing if the operation was prematurely
// terminated.
var ErrCancelled = errors.New("sync cancelled")

const requestTimeout = 15 * time.Second

type Hash [32]byte

// accountRequest tracks a pending account range request.
type accountRequest struct {
	peer string // Peer to which this request is assigned
	id   uint64 // Request ID of this request

	deliver chan *accountResponse // Channel to deliver successful response on
	revert  chan *accountRequest  // Channel to deliver request failure on
	cancel  chan struct{}         // Channel to track sync cancellation
	timeout *time.Timer           // Timer to track delivery timeout
	stale   chan struct{}         // Channel to signal the request was dropped

	origin Hash // First account requested to allow continuation checks
	limit  Hash // Last account requested to allow non-overlapping chunking

	task *accountTask // Task which this request is filling (only access fields through the runloop!!)
}

// accountResponse is an already verified remote response.
type accountResponse struct {
	task     *accountTask // Task which this request is filling
	hashes   []Hash       // Account hashes in the returned range
	accounts [][]byte     // Expanded accounts in the returned range
	cont     bool         // Whether the account range has a continuation
}

// accountTask represents the sync task for a chunk of the account snapshot.
type accountTask struct {
	Next Hash // Next account to sync in this interval
	Last Hash // Last account to sync in this interval

	req  *accountRequest // Pending request to fill this task
	done bool            // Flag whether the task can be removed
}

// SyncPeer abstracts out the methods required for a peer to be synced against.
type SyncPeer interface {
	ID() string
	RequestAccountRange(id uint64, root, origin, limit Hash) error
}

// Database persists the synced accounts and the progress.
type Database interface {
	WriteAccounts(root Hash, hashes []Hash, accounts [][]byte)
	ReadSyncStatus() []*accountTask
	WriteSyncStatus(tasks []*accountTask, synced uint64)
}

// Syncer is an Ethereum account synchronizer based on snapshots.
type Syncer struct {
	db Database

	root   Hash           // Current state trie root being synced
	tasks  []*accountTask // Current account task set being synced
	update chan struct{}  // Notification channel for possible sync progression

	peers map[string]SyncPeer // Currently active peers to download from

	// Request tracking during syncing phase
	statelessPeers map[string]struct{} // Peers that failed to deliver state data
	accountIdlers  map[string]struct{} // Peers that aren't serving account requests

	accountReqs map[uint64]*accountRequest // Account requests currently running

	accountSynced uint64 // Number of accounts downloaded

	pend sync.WaitGroup // Tracks network request goroutines for graceful shutdown
	lock sync.RWMutex   // Protects fields that can change outside of sync (peers, reqs, root)
}

// NewSyncer creates a new snapshot syncer to download the Ethereum state over the
// snap protocol.
func NewSyncer(db Database) *Syncer {
	return &Syncer{
		db:            db,
		peers:         make(map[string]SyncPeer),
		update:        make(chan struct{}, 1),
		accountIdlers: make(map[string]struct{}),
		accountReqs:   make(map[uint64]*accountRequest),
	}
}

// Register injects a new data source into the syncer's peerset.
func (s *Syncer) Register(peer SyncPeer) {
	s.lock.Lock()
	s.peers[peer.ID()] = peer
	s.accountIdlers[peer.ID()] = struct{}{}
	s.lock.Unlock()
	s.notify()
}

func (s *Syncer) notify() {
	select {
	case s.update <- struct{}{}:
	default:
	}
}

// Sync starts (or resumes a previous) sync cycle to iterate over a state trie
// with the given root and reconstruct the nodes based on the snapshot leaves.
func (s *Syncer) Sync(root Hash, cancel chan struct{}) error {
	// Move the trie root from any previous value, revert stateless markers for
	// any peers and initialize the syncer if it was not yet run
	s.lock.Lock()
	s.root = root
	s.statelessPeers = make(map[string]struct{})
	s.lock.Unlock()

	// Retrieve the previous sync status from LevelDB and abort if already synced
	s.tasks = s.db.ReadSyncStatus()

	defer func() { // Persist any progress, independent of failure
		s.cleanAccountTasks()
		s.db.WriteSyncStatus(s.tasks, s.accountSynced)
	}()
	// Whether sync completed or not, disregard any future packets
	defer func() {
		log.Print("Terminating snapshot sync cycle", "root", root)
		s.lock.Lock()
		s.accountReqs = make(map[uint64]*accountRequest)
		s.lock.Unlock()
	}()
	// Create a set of unique channels for this sync cycle. We need these to be
	// ephemeral so a data race doesn't accidentally deliver something stale on
	// a persistent channel across syncs (yup, this happened)
	var (
		accountReqFails = make(chan *accountRequest)
		accountResps    = make(chan *accountResponse)
	)
	// Keep scheduling sync tasks
	for {
		// Remove all completed tasks and terminate sync if everything's done
		s.cleanAccountTasks()
		if len(s.tasks) == 0 {
			return nil
		}
		// Assign all the data retrieval tasks to any free peers
		s.assignAccountTasks(accountResps, accountReqFails, cancel)

		// Wait for something to happen
		select {
		case <-s.update:
			// Something happened (new peer, delivery, timeout), recheck tasks
		case <-cancel:
			return ErrCancelled

		case req := <-accountReqFails:
			s.revertAccountRequest(req)
		case res := <-accountResps:
			s.processAccountResponse(res)
		}
	}
}

// cleanAccountTasks removes tasks that have already been completed.
func (s *Syncer) cleanAccountTasks() {
	for i := 0; i < len(s.tasks); i++ {
		if s.tasks[i].done {
			s.tasks = append(s.tasks[:i], s.tasks[i+1:]...)
			i--
		}
	}
}

// assignAccountTasks attempts to match idle peers to pending account range
// retrievals.
func (s *Syncer) assignAccountTasks(success chan *accountResponse, fail chan *accountRequest, cancel chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()

	// Iterate over all the tasks and try to find a pending one
	for _, task := range s.tasks {
		// Skip any tasks already filling
		if task.req != nil {
			continue
		}
		// Task pending retrieval, try to find an idle peer.
		var idle string
		for id := range s.accountIdlers {
			if _, ok := s.statelessPeers[id]; ok {
				continue
			}
			idle = id
			break
		}
		if idle == "" {
			return
		}
		peer := s.peers[idle]

		// Matched a pending task to an idle peer, allocate a unique request id
		reqid := rand.Uint64()

		// Generate the network query and send it to the peer
		req := &accountRequest{
			peer:    idle,
			id:      reqid,
			deliver: success,
			revert:  fail,
			cancel:  cancel,
			stale:   make(chan struct{}),
			origin:  task.Next,
			limit:   task.Last,
			task:    task,
		}
		req.timeout = time.AfterFunc(requestTimeout, func() {
			s.scheduleRevertAccountRequest(req)
		})
		s.accountReqs[reqid] = req
		delete(s.accountIdlers, idle)

		s.pend.Add(1)
		go func(root Hash) {
			defer s.pend.Done()

			// Attempt to send the remote request and revert if it fails
			if err := peer.RequestAccountRange(reqid, root, req.origin, req.limit); err != nil {
				s.scheduleRevertAccountRequest(req)
			}
		}(s.root)

		// Inject the request into the task to block further assignments
		task.req = req
	}
}

// scheduleRevertAccountRequest asks the event loop to clean up a request.
func (s *Syncer) scheduleRevertAccountRequest(req *accountRequest) {
	select {
	case req.revert <- req:
		// Sync event loop notified
	case <-req.cancel:
		// Sync cycle got cancelled
	case <-req.stale:
		// Request already reverted
	}
}

// revertAccountRequest cleans up an account range request and returns all failed
// retrieval tasks to the scheduler. It runs on the event runloop.
func (s *Syncer) revertAccountRequest(req *accountRequest) {
	select {
	case <-req.stale:
		return
	default:
	}
	close(req.stale)

	// Remove the request from the tracked set
	s.lock.Lock()
	delete(s.accountReqs, req.id)
	s.lock.Unlock()

	// If there's a timeout timer still running, abort it and mark the account
	// task as not-pending, ready for resheduling
	req.timeout.Stop()
	if req.task.req == req {
		req.task.req = nil
	}
}

// processAccountResponse integrates an already validated account range response
// into the account tasks.
func (s *Syncer) processAccountResponse(res *accountResponse) {
	res.task.req = nil
	s.db.WriteAccounts(s.root, res.hashes, res.accounts)
	s.accountSynced += uint64(len(res.hashes))

	if !res.cont {
		res.task.done = true
		return
	}
	res.task.Next = res.hashes[len(res.hashes)-1]
}

// OnAccounts is a callback method to invoke when a range of accounts are
// received from a remote peer.
func (s *Syncer) OnAccounts(peer SyncPeer, id uint64, hashes []Hash, accounts [][]byte, proof [][]byte) error {
	// Whether or not the response is valid, we can mark the peer as idle and
	// notify the scheduler to assign a new task.
	s.lock.Lock()
	if _, ok := s.peers[peer.ID()]; ok {
		s.accountIdlers[peer.ID()] = struct{}{}
	}
	s.notify()
	// Ensure the response is for a valid request
	req, ok := s.accountReqs[id]
	if !ok {
		// Request stale, perhaps the peer timed out but came through in the end
		s.lock.Unlock()
		return nil
	}
	delete(s.accountReqs, id)

	// Clean up the request timeout timer, we'll see how to proceed further based
	// on the actual delivered content
	if !req.timeout.Stop() {
		// The timeout is already triggered, and this request will be reverted+rescheduled
		s.lock.Unlock()
		return nil
	}
	// Response is valid, but check if peer is signalling that it does not have
	// the requested data.
	if len(hashes) == 0 && len(accounts) == 0 && len(proof) == 0 {
		s.statelessPeers[peer.ID()] = struct{}{}
		s.lock.Unlock()

		// Signal this request as failed, and ready for rescheduling
		s.scheduleRevertAccountRequest(req)
		return nil
	}
	root := s.root
	s.lock.Unlock()

	// Reconstruct a partial trie from the response and verify it
	cont, err := verifyRangeProof(root, req.origin, hashes, accounts, proof)
	if err != nil {
		// Signal this request as failed, and ready for rescheduling
		s.scheduleRevertAccountRequest(req)
		return err
	}
	response := &accountResponse{
		task:     req.task,
		hashes:   hashes,
		accounts: accounts,
		cont:     cont,
	}
	select {
	case req.deliver <- response:
	case <-req.cancel:
	case <-req.stale:
	}
	return nil
}

func verifyRangeProof(root, origin Hash, hashes []Hash, accounts, proof [][]byte) (bool, error) {
	if len(hashes) != len(accounts) {
		return false, errors.New("inconsistent proof data")
	}
	return len(hashes) > 0 && len(proof) > 0, nil
}

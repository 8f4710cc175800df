package snap

type accountPacket struct {
	id       uint64
	hashes   []Hash
	accounts [][]byte
	proof    [][]byte
}

// Handle is the callback invoked to manage the life cycle of a `snap` peer; it
// runs on a goroutine of the peer. When this function terminates, the peer is
// disconnected.
func Handle(s *Syncer, peer SyncPeer, packets <-chan accountPacket) error {
	s.Register(peer)
	for p := range packets {
		if err := s.OnAccounts(peer, p.id, p.hashes, p.accounts, p.proof); err != nil {
			return err
		}
	}
	return nil
}

// stateSync schedules requests for downloading a particular state trie defined
// by a given state root.
type stateSync struct {
	root   Hash
	cancel chan struct{} // Channel to signal a termination request
	done   chan struct{} // Channel to signal termination completion
	err    error         // Any error hit during sync (set before completion)
}

// stateFetcher manages the active state sync and accepts requests
// on its behalf.
func stateFetcher(syncer *Syncer, roots <-chan Hash, quit <-chan struct{}) {
	var cur *stateSync
	stop := func() {
		if cur != nil {
			close(cur.cancel)
			<-cur.done
		}
	}
	defer stop()
	for {
		select {
		case root := <-roots:
			// The pivot has moved, cancel the previous sync and start the next one
			stop()
			next := &stateSync{root: root, cancel: make(chan struct{}), done: make(chan struct{})}
			go func() {
				defer close(next.done)
				next.err = syncer.Sync(next.root, next.cancel)
			}()
			cur = next
		case <-quit:
			return
		}
	}
}

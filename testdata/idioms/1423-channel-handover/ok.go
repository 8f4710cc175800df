package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errBlockedWrites = errors.New("writes are blocked, possibly due to close")

// request is owned by the submitter until it is sent to writeCh and by the writer
// until Wg is done.
type request struct {
	entries []string
	Wg      sync.WaitGroup
	Err     error
}

// DB writes requests in batches: while one batch is being written, the next one is
// collected.
type DB struct {
	writeCh     chan *request
	blockWrites atomic.Bool
	sendMu      sync.RWMutex // held for reading while sending to writeCh
	done        chan struct{}

	log []string // written by the goroutine that holds pendingCh
}

func Open() *DB {
	db := &DB{writeCh: make(chan *request, 100), done: make(chan struct{})}
	go db.doWrites()
	return db
}

// Write stores the entries and waits for that.
func (db *DB) Write(entries []string) error {
	req := &request{entries: entries}
	req.Wg.Add(1)
	if err := db.sendToWriteCh(req); err != nil {
		return err
	}
	req.Wg.Wait()
	return req.Err
}

func (db *DB) sendToWriteCh(req *request) error {
	db.sendMu.RLock()
	defer db.sendMu.RUnlock()
	if db.blockWrites.Load() {
		return errBlockedWrites
	}
	db.writeCh <- req
	return nil
}

func (db *DB) doWrites() {
	defer close(db.done)
	pendingCh := make(chan struct{}, 1)
	writeRequests := func(reqs []*request) {
		db.writeRequests(reqs)
		<-pendingCh
	}

	reqs := make([]*request, 0, 10)
	for r := range db.writeCh {
		reqs = append(reqs, r)
	collect:
		for {
			if len(reqs) == cap(reqs) {
				pendingCh <- struct{}{}
				break
			}
			select {
			case r, ok := <-db.writeCh:
				if !ok {
					pendingCh <- struct{}{}
					break collect
				}
				reqs = append(reqs, r)
			case pendingCh <- struct{}{}:
				break collect
			}
		}
		go writeRequests(reqs)
		reqs = make([]*request, 0, 10)
	}
	pendingCh <- struct{}{} // wait for the last batch
}

func (db *DB) writeRequests(reqs []*request) {
	for _, r := range reqs {
		if len(r.entries) == 0 {
			r.Err = errors.New("empty request")
		}
		db.log = append(db.log, r.entries...)
		r.Wg.Done()
	}
}

// Close stops new writes, waits for those under way and returns the log.
func (db *DB) Close() []string {
	db.sendMu.Lock()
	first := !db.blockWrites.Swap(true)
	db.sendMu.Unlock()
	if first {
		close(db.writeCh)
	}
	<-db.done
	return db.log
}

package les

import (
	"context"
	"errors"
	"sync"
)

var errNoPeers = errors.New("no suitable peers available")

// retrieveManager is a layer on top of requestDistributor which takes care of
// matching replies by request ID and handles timeouts and resends if necessary.
type retrieveManager struct {
	dist *requestDistributor

	lock     sync.RWMutex
	sentReqs map[uint64]*sentReq
}

// sentReq represents a request sent and tracked by retrieveManager
type sentReq struct {
	rm  *retrieveManager
	req *distReq
	id  uint64

	stopCh   chan struct{}
	stopOnce sync.Once
	err      error
}

// newRetrieveManager creates the retrieve manager
func newRetrieveManager(dist *requestDistributor) *retrieveManager {
	return &retrieveManager{
		dist:     dist,
		sentReqs: make(map[uint64]*sentReq),
	}
}

// retrieve sends a request (to multiple peers if necessary) and waits for an answer
// that is delivered through the deliver function and successfully validated by the
// validator callback. It returns when a valid answer is delivered or the context is
// cancelled.
func (rm *retrieveManager) retrieve(ctx context.Context, reqID uint64, req *distReq) error {
	r := rm.sendReq(reqID, req)
	select {
	case <-r.stopCh:
	case <-ctx.Done():
		r.stop(ctx.Err())
	}
	return r.err
}

// sendReq starts a process that keeps trying to retrieve a valid answer for a
// request from any suitable peers until stopped or succeeded.
func (rm *retrieveManager) sendReq(reqID uint64, req *distReq) *sentReq {
	r := &sentReq{
		rm:     rm,
		req:    req,
		id:     reqID,
		stopCh: make(chan struct{}),
	}
	rm.lock.Lock()
	rm.sentReqs[reqID] = r
	rm.lock.Unlock()

	go r.tryRequest()
	return r
}

// deliver is called by the LES protocol manager to deliver reply messages to waiting requests
func (rm *retrieveManager) deliver(reqID uint64) error {
	rm.lock.RLock()
	req, ok := rm.sentReqs[reqID]
	rm.lock.RUnlock()
	if !ok {
		return errors.New("unexpected response")
	}
	req.stop(nil)
	return nil
}

// tryRequest tries to send the request to a new peer and waits for it to either
// succeed or time out if it has been sent. It also sends the appropriate reqPeerEvent
// messages to the request's event channel.
func (r *sentReq) tryRequest() {
	sent := r.rm.dist.queue(r.req)
	var p distPeer
	select {
	case p = <-sent:
	case <-r.stopCh:
		if r.rm.dist.cancel(r.req) {
			p = nil
		} else {
			p = <-sent
		}
	}
	if p == nil {
		r.stop(errNoPeers)
	}
}

// stop stops the retrieval process and sets an error code that will be returned
// by retrieve
func (r *sentReq) stop(err error) {
	r.stopOnce.Do(func() {
		r.rm.lock.Lock()
		delete(r.rm.sentReqs, r.id)
		r.rm.lock.Unlock()
		r.err = err
		close(r.stopCh)
	})
}

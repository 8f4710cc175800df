package server

import (
	"log"
	"sync"
	"time"
)

const (
	consumerNotActiveStartInterval = 30 * time.Second
	consumerNotActiveMaxInterval   = 5 * time.Minute
)

// consumer is a jetstream consumer.
type consumer struct {
	mu      sync.RWMutex
	srv     *Server
	name    string
	closed  bool
	dtmr    *time.Timer
	dthresh time.Duration
}

func (js *jetStream) addEphemeral(name string, dthresh time.Duration) *consumer {
	o := &consumer{srv: js.srv, name: name, dthresh: dthresh}
	o.mu.Lock()
	o.dtmr = time.AfterFunc(dthresh, o.deleteNotActive)
	o.mu.Unlock()
	return o
}

// resetInactivity is called for each request of the client.
func (o *consumer) resetInactivity() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed && o.dtmr.Stop() {
		o.dtmr.Reset(o.dthresh)
	}
}

func (o *consumer) delete() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.dtmr.Stop()
}

// deleteNotActive must only be called from time.AfterFunc or in its own
// goroutine, as it can block on clean-up.
func (o *consumer) deleteNotActive() {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return
	}
	s, js, name := o.srv, o.srv.js.Load(), o.name
	o.mu.Unlock()

	// We will delete locally regardless.
	defer o.delete()
	if js == nil {
		return
	}
	qch, cqch := s.quitCh, js.clusterQuitC()

	// If we are clustered, check if we still have this consumer assigned.
	// If we do forward a proposal to delete ourselves to the metacontroller leader.
	js.mu.RLock()
	var meta RaftNode
	ca, cc := js.consumerAssignment(name), js.cluster
	if ca != nil && cc.meta != nil {
		meta = cc.meta
	}
	js.mu.RUnlock()
	if meta == nil {
		return
	}
	removeEntry := []byte("-" + name)
	meta.ForwardProposal(removeEntry)

	// Check to make sure we went away.
	interval := consumerNotActiveStartInterval
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-qch:
			return
		case <-cqch:
			return
		}
		js.mu.RLock()
		if js.shuttingDown {
			js.mu.RUnlock()
			return
		}
		nca := js.consumerAssignment(name)
		js.mu.RUnlock()
		// Make sure this is the same consumer assignment, and not a new consumer with the same name.
		if nca == nil || nca != ca {
			// We saw that consumer has been removed, all done.
			return
		}
		log.Printf("Consumer assignment for '%s' not cleaned up, retrying", name)
		meta.ForwardProposal(removeEntry)
		if interval < consumerNotActiveMaxInterval {
			interval *= 2
			ticker.Reset(interval)
		}
	}
}

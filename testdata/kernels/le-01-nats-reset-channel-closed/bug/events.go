package server

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
)

const shutdownEventSubj = "$SYS.SERVER.%s.SHUTDOWN"

// Used to send and receive messages from inside the server.
type internal struct {
	account *Account
	client  *client
	seq     uint64
	sendq   chan *pubMsg
	resetCh chan struct{}
	wg      sync.WaitGroup
}

// ServerInfo identifies remote servers.
type ServerInfo struct {
	Name    string   `json:"name"`
	ID      string   `json:"id"`
	Cluster string   `json:"cluster,omitempty"`
	Seq     uint64   `json:"seq"`
	Tags    []string `json:"tags,omitempty"`
}

// Used to queue up messages to be sent.
type pubMsg struct {
	sub  string
	si   *ServerInfo
	msg  any
	last bool
}

// internalSendLoop will be responsible for serializing all messages that
// a server wants to send.
func (s *Server) internalSendLoop(wg *sync.WaitGroup, sendq chan *pubMsg) {
	defer wg.Done()

RESET:
	s.mu.RLock()
	if s.sys == nil {
		s.mu.RUnlock()
		return
	}
	sysc := s.sys.client
	resetCh := s.sys.resetCh
	id := s.info.ID
	servername := s.info.Name
	cluster := s.info.Cluster
	seqp := &s.sys.seq
	s.mu.RUnlock()

	tags := s.getOpts().Tags

	for s.eventsRunning() {
		select {
		case pm := <-sendq:
			if si := pm.si; si != nil {
				si.Name = servername
				si.Cluster = cluster
				si.ID = id
				si.Seq = atomic.AddUint64(seqp, 1)
				si.Tags = tags
			}
			b, _ := json.Marshal(pm.msg)
			sysc.processInboundClientMsg(pm.sub, b)
			// See if we are doing graceful shutdown.
			if pm.last {
				return
			}
		case <-resetCh:
			goto RESET
		case <-s.quitCh:
			return
		}
	}
}

// Will send a shutdown message.
func (s *Server) sendShutdownEvent() {
	s.mu.Lock()
	if s.sys == nil || s.sys.sendq == nil {
		s.mu.Unlock()
		return
	}
	subj := fmt.Sprintf(shutdownEventSubj, s.info.ID)
	sendq := s.sys.sendq
	// Stop any more messages from queueing up.
	s.sys.sendq = nil
	// Send to the internal queue and mark as last.
	si := &ServerInfo{}
	s.mu.Unlock()
	sendq <- &pubMsg{sub: subj, si: si, msg: si, last: true}
}

// eventsRunning is used as a protected wrapper to see if
// events are enabled and running.
func (s *Server) eventsRunning() bool {
	s.mu.RLock()
	er := s.running && s.eventsEnabled()
	s.mu.RUnlock()
	return er
}

// eventsEnabled will report if events are enabled.
// Lock should be held.
func (s *Server) eventsEnabled() bool {
	return s.sys != nil && s.sys.client != nil && s.sys.account != nil
}

// shutdownEventing will clean up all eventing state.
func (s *Server) shutdownEventing() {
	if !s.eventsRunning() {
		return
	}

	s.mu.Lock()
	if s.sys == nil || s.sys.resetCh == nil {
		s.mu.Unlock()
		return
	}
	rc := s.sys.resetCh
	s.sys.resetCh = nil
	wg := &s.sys.wg
	s.mu.Unlock()

	// We will queue up a shutdown event and wait for the
	// internal send loop to exit.
	s.sendShutdownEvent()
	wg.Wait()

	s.mu.Lock()
	defer s.mu.Unlock()

	// Turn everything off here.
	s.sys = nil
	// Make sure this is done after s.sys = nil, so that we don't
	// get sends to closed channels on badly-timed config reloads.
	close(rc)
}

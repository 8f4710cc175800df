package etcd

import (
	"encoding/binary"
	"errors"
	"net/http"
	"sync"
)

var errUnknownPeer = errors.New("unknown peer")

type peerHub struct {
	mu      sync.RWMutex
	stopped bool
	peers   map[int64]*peer
	tr      *http.Transport
	c       *http.Client
}

func newPeerHub() *peerHub {
	tr := new(http.Transport)
	return &peerHub{
		peers: make(map[int64]*peer),
		tr:    tr,
		c:     &http.Client{Transport: tr},
	}
}

// stop stops all the peers and closes the connections to them.
func (h *peerHub) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for _, p := range h.peers {
		p.stop()
	}
	h.tr.CloseIdleConnections()
}

func (h *peerHub) peer(id int64) (*peer, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if p, ok := h.peers[id]; ok {
		return p, nil
	}
	return nil, errUnknownPeer
}

func (h *peerHub) add(id int64, url string) (*peer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return nil, errors.New("peerHub stopped")
	}
	if p, ok := h.peers[id]; ok {
		return p, nil
	}
	p := newPeer(url, h.c)
	h.peers[id] = p
	return p, nil
}

// send is called by the raft loop and by the heartbeat ticker.
func (h *peerHub) send(to int64, term uint64) error {
	p, err := h.peer(to)
	if err != nil {
		return err
	}
	return p.send(binary.BigEndian.AppendUint64(nil, term))
}

// Package rafthttp sends raft messages to the other members.
package rafthttp

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Message is a raft message; the protocol copes with lost ones.
type Message struct {
	To, From uint64
	Type     string
	Data     []byte
}

// Reporter is told about members that cannot be reached.
type Reporter interface {
	ReportUnreachable(id uint64)
}

// Poster delivers one message.
type Poster func(ctx context.Context, url string, m Message) error

const (
	connPerPipeline = 4
	pipelineBufSize = 64
)

type peer struct {
	id   uint64
	r    Reporter
	post Poster
	msgc chan Message

	mu  sync.Mutex
	url string

	sent   atomic.Int64
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func startPeer(id uint64, url string, r Reporter, post Poster) *peer {
	ctx, cancel := context.WithCancel(context.Background())
	p := &peer{id: id, url: url, r: r, post: post, msgc: make(chan Message, pipelineBufSize), cancel: cancel}
	p.wg.Add(connPerPipeline)
	for range connPerPipeline {
		go p.handle(ctx)
	}
	return p
}

func (p *peer) handle(ctx context.Context) {
	defer p.wg.Done()
	for {
		select {
		case m := <-p.msgc:
			p.mu.Lock()
			url := p.url
			p.mu.Unlock()
			if err := p.post(ctx, url, m); err != nil {
				p.r.ReportUnreachable(m.To)
				continue
			}
			p.sent.Add(1)
		case <-ctx.Done():
			return
		}
	}
}

func (p *peer) send(m Message) {
	select {
	case p.msgc <- m:
	default:
		p.r.ReportUnreachable(m.To)
		log.Printf("dropped %s to %x since the sending buffer is full", m.Type, p.id)
	}
}

func (p *peer) update(url string) {
	p.mu.Lock()
	p.url = url
	p.mu.Unlock()
}

func (p *peer) stop() {
	p.cancel()
	p.wg.Wait()
}

// Transport keeps the peers of a member.
type Transport struct {
	ID       uint64
	Reporter Reporter
	Post     Poster

	mu      sync.RWMutex
	peers   map[uint64]*peer
	remotes map[uint64]*peer // members that catch up and are not voting yet
}

func (t *Transport) Start() {
	t.peers = make(map[uint64]*peer)
	t.remotes = make(map[uint64]*peer)
}

// Send hands the messages to their peers, and drops those it knows none for.
func (t *Transport) Send(msgs []Message) {
	for _, m := range msgs {
		if m.To == 0 {
			// ignore intentionally dropped message
			continue
		}
		t.mu.RLock()
		p, pok := t.peers[m.To]
		g, rok := t.remotes[m.To]
		t.mu.RUnlock()

		if pok {
			p.send(m)
			continue
		}
		if rok {
			g.send(m)
			continue
		}
		log.Printf("ignored message %s to unknown peer %x", m.Type, m.To)
	}
}

func (t *Transport) AddPeer(id uint64, url string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; ok {
		return
	}
	t.peers[id] = startPeer(id, url, t.Reporter, t.Post)
}

func (t *Transport) AddRemote(id uint64, url string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; ok {
		return
	}
	if _, ok := t.remotes[id]; ok {
		return
	}
	t.remotes[id] = startPeer(id, url, t.Reporter, t.Post)
}

func (t *Transport) UpdatePeer(id uint64, url string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.peers[id]
	if !ok {
		return fmt.Errorf("unknown peer %x", id)
	}
	p.update(url)
	return nil
}

func (t *Transport) RemovePeer(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.peers[id]; ok {
		p.stop()
		delete(t.peers, id)
	}
}

func (t *Transport) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, set := range []map[uint64]*peer{t.peers, t.remotes} {
		for id, p := range set {
			p.stop()
			delete(set, id)
		}
	}
}

// reportLoop logs how much has gone out.
func (t *Transport) reportLoop(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.mu.RLock()
			for id, p := range t.peers {
				log.Printf("peer %x: %d messages", id, p.sent.Load())
			}
			t.mu.RUnlock()
		case <-ctx.Done():
			return
		}
	}
}

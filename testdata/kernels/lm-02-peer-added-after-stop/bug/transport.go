package rafthttp

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

type ID uint64

type Message struct {
	To   ID
	Data []byte
}

var errStopped = errors.New("stopped")

type Peer interface {
	send(m Message)
	update(urls []string)
	activeSince() time.Time
	stop()
}

type peer struct {
	id     ID
	rt     http.RoundTripper
	sendc  chan Message
	errorc chan error
	stopc  chan struct{}
	done   chan struct{}

	mu    sync.Mutex
	urls  []string
	since time.Time
}

func startPeer(t *Transport, id ID, urls []string) *peer {
	p := &peer{
		id:     id,
		rt:     t.pipelineRt,
		sendc:  make(chan Message, 64),
		errorc: t.ErrorC,
		stopc:  make(chan struct{}),
		done:   make(chan struct{}),
		urls:   urls,
	}
	go p.run()
	return p
}

func (p *peer) run() {
	defer close(p.done)
	for {
		select {
		case m := <-p.sendc:
			if err := p.post(m); err == nil {
				p.mu.Lock()
				if p.since.IsZero() {
					p.since = time.Now()
				}
				p.mu.Unlock()
			}
		case <-p.stopc:
			return
		}
	}
}

func (p *peer) post(m Message) error {
	p.mu.Lock()
	if len(p.urls) == 0 {
		p.mu.Unlock()
		return errStopped
	}
	u := p.urls[0]
	p.mu.Unlock()
	req, err := http.NewRequest("POST", u, nil)
	if err != nil {
		return err
	}
	resp, err := p.rt.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (p *peer) send(m Message) {
	select {
	case p.sendc <- m:
	default:
	}
}

func (p *peer) update(urls []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.urls = urls
}

func (p *peer) activeSince() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.since
}

func (p *peer) stop() {
	close(p.stopc)
	<-p.done
}

// A remote helps a newly joined member to catch up.
type remote struct {
	p *peer
}

func startRemote(t *Transport, id ID, urls []string) *remote {
	return &remote{p: startPeer(t, id, urls)}
}

func (g *remote) send(m Message) { g.p.send(m) }
func (g *remote) stop()          { g.p.stop() }

// Transport provides functionality to send raft messages to peers, and
// functionality to receive raft messages from peers.
type Transport struct {
	ErrorC chan error

	pipelineRt http.RoundTripper

	mu      sync.RWMutex   // protect the remote and peer map
	remotes map[ID]*remote // remotes map that helps newly joined member to catch up
	peers   map[ID]Peer    // peers map
}

func (t *Transport) Start() error {
	t.pipelineRt = &http.Transport{}
	t.remotes = make(map[ID]*remote)
	t.peers = make(map[ID]Peer)
	return nil
}

func (t *Transport) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/raft/stream/", func(w http.ResponseWriter, r *http.Request) {
		urls := r.Header["X-Peerurls"]
		var id ID
		for _, c := range []byte(r.Header.Get("X-Server-From")) {
			id = id*31 + ID(c)
		}
		if t.Get(id) == nil {
			t.AddRemote(id, urls)
		}
		w.WriteHeader(http.StatusOK)
	})
	return mux
}

func (t *Transport) Get(id ID) Peer {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.peers[id]
}

func (t *Transport) Send(msgs []Message) {
	for _, m := range msgs {
		if m.To == 0 {
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
		}
	}
}

// Stop closes the connections and stops the transporter.
func (t *Transport) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.remotes {
		r.stop()
	}
	for _, p := range t.peers {
		p.stop()
	}
	if tr, ok := t.pipelineRt.(*http.Transport); ok {
		tr.CloseIdleConnections()
	}
}

func (t *Transport) AddRemote(id ID, us []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; ok {
		return
	}
	if _, ok := t.remotes[id]; ok {
		return
	}
	t.remotes[id] = startRemote(t, id, us)
}

func (t *Transport) AddPeer(id ID, us []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; ok {
		return
	}
	t.peers[id] = startPeer(t, id, us)
}

func (t *Transport) RemovePeer(id ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.peers[id]; ok {
		p.stop()
	}
	delete(t.peers, id)
}

func (t *Transport) UpdatePeer(id ID, us []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.peers[id]; !ok {
		return
	}
	t.peers[id].update(us)
}

package connteardown

import (
	"bufio"
	"errors"
	"net"
	"strings"
	"sync"
)

var errConnClosed = errors.New("connection closed")

type closeCause int

const (
	causeClientGone closeCause = iota + 1
	causeSlowReader
	causeKicked
)

type interest struct {
	subject string
	sid     string
	owner   *peerConn
}

// routing is the table of the interests of all peers.
type routing struct {
	mu   sync.RWMutex
	subs map[string]map[*interest]struct{}
	num  int
}

func (r *routing) insert(i *interest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.subs[i.subject] == nil {
		r.subs[i.subject] = make(map[*interest]struct{})
	}
	r.subs[i.subject][i] = struct{}{}
	r.num++
}

func (r *routing) removeAll(is []*interest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range is {
		delete(r.subs[i.subject], i)
		r.num--
	}
}

type peerConn struct {
	broker *Broker
	cid    uint64

	mu     sync.Mutex // held before routing.mu
	nc     net.Conn
	subs   map[string]*interest
	closed bool
	cause  closeCause
}

// Broker owns the peers.
type Broker struct {
	table routing

	mu     sync.Mutex
	nextID uint64
	peers  map[uint64]*peerConn
	gone   map[closeCause]int
}

// NewBroker returns an empty broker.
func NewBroker() *Broker {
	return &Broker{
		table: routing{subs: make(map[string]map[*interest]struct{})},
		peers: make(map[uint64]*peerConn),
		gone:  make(map[closeCause]int),
	}
}

// Attach starts to serve a connection.
func (b *Broker) Attach(nc net.Conn) {
	b.mu.Lock()
	b.nextID++
	p := &peerConn{broker: b, cid: b.nextID, nc: nc, subs: make(map[string]*interest)}
	b.peers[p.cid] = p
	b.mu.Unlock()
	go p.readLoop(nc)
}

// Kick closes a peer from the outside.
func (b *Broker) Kick(cid uint64) {
	b.mu.Lock()
	p := b.peers[cid]
	b.mu.Unlock()
	if p != nil {
		p.closeConn(causeKicked)
	}
}

func (p *peerConn) readLoop(nc net.Conn) {
	sc := bufio.NewScanner(nc)
	for sc.Scan() {
		if subject, sid, ok := strings.Cut(sc.Text(), " "); ok {
			if p.subscribe(subject, sid) != nil {
				return
			}
		}
	}
	p.closeConn(causeClientGone)
}

func (p *peerConn) subscribe(subject, sid string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errConnClosed
	}
	if _, ok := p.subs[sid]; ok {
		return nil
	}
	i := &interest{subject: subject, sid: sid, owner: p}
	p.subs[sid] = i
	p.broker.table.insert(i)
	return nil
}

// closeConn is called by the read loop, by writers that give up and by Kick.
func (p *peerConn) closeConn(cause closeCause) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	p.cause = cause
	nc := p.nc
	p.nc = nil
	subs := make([]*interest, 0, len(p.subs))
	for _, i := range p.subs {
		subs = append(subs, i)
	}
	p.subs = nil
	p.mu.Unlock()

	_ = nc.Close()
	p.broker.table.removeAll(subs)
	p.broker.forget(p.cid, cause)
}

func (b *Broker) forget(cid uint64, cause closeCause) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.peers, cid)
	b.gone[cause]++
}

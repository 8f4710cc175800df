package etcd

import (
	"log"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	defaultTickDuration = time.Millisecond * 100
)

const (
	participantMode int64 = iota
	standbyMode
	stopMode
)

type Server struct {
	id           int64
	pubAddr      string
	raftPubAddr  string
	tickDuration time.Duration

	mode  atomicInt
	nodes map[string]bool
	p     atomic.Pointer[participant]
	s     atomic.Pointer[standby]

	client  *http.Client
	peerHub *peerHub

	stopc chan struct{}
}

func New(id int64, pubAddr, raftPubAddr string, peers []string) *Server {
	client := &http.Client{Transport: new(http.Transport)}

	s := &Server{
		id:           id,
		pubAddr:      pubAddr,
		raftPubAddr:  raftPubAddr,
		tickDuration: defaultTickDuration,

		mode:  atomicInt(stopMode),
		nodes: make(map[string]bool),

		client:  client,
		peerHub: newPeerHub(peers, client),

		stopc: make(chan struct{}),
	}
	for _, seed := range peers {
		s.nodes[seed] = true
	}

	return s
}

// SetTick has to be called before Run.
func (s *Server) SetTick(tick time.Duration) {
	s.tickDuration = tick
}

// Stop stops the server elegently.
func (s *Server) Stop() {
	if s.mode.Get() == stopMode {
		return
	}
	m := s.mode.Get()
	s.mode.Set(stopMode)
	switch m {
	case participantMode:
		s.p.Load().stop()
	case standbyMode:
		s.s.Load().stop()
	}
	<-s.stopc
	s.client.CloseIdleConnections()
	s.peerHub.stop()
}

func (s *Server) ServeRaftHTTP(w http.ResponseWriter, r *http.Request) {
	switch s.mode.Get() {
	case participantMode:
		s.p.Load().serveRaftHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) Run() {
	next := participantMode
	for {
		switch next {
		case participantMode:
			p := newParticipant(s.id, s.pubAddr, s.raftPubAddr, s.nodes, s.peerHub, s.tickDuration)
			s.p.Store(p)
			s.mode.Set(participantMode)
			next = p.run()
		case standbyMode:
			sb := newStandby(s.id, s.nodes, s.peerHub)
			s.s.Store(sb)
			s.mode.Set(standbyMode)
			next = sb.run()
		case stopMode:
			s.stopc <- struct{}{}
			return
		default:
			panic("unsupport mode")
		}
		log.Printf("id=%x server.run next=%d", s.id, next)
	}
}

// An AtomicInt is an int64 to be accessed atomically.
type atomicInt int64

func (i *atomicInt) Get() int64 {
	return atomic.LoadInt64((*int64)(i))
}

func (i *atomicInt) Set(n int64) {
	atomic.StoreInt64((*int64)(i), n)
}

// Package etcd runs a node of a cluster.
package etcd

import (
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
)

// Config is the configuration of a node.
type Config struct {
	Name     string
	BindAddr string
	PeerAddr string
	Peers    []string
}

type peerServer struct {
	mu      sync.Mutex
	started bool
	peers   []string
	stopC   chan struct{}
}

func (p *peerServer) start(peers []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return
	}
	p.started = true
	p.peers = append([]string(nil), peers...)
	p.stopC = make(chan struct{})
	go p.monitor(p.stopC)
}

func (p *peerServer) monitor(stop <-chan struct{}) { <-stop }

func (p *peerServer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		close(p.stopC)
		p.started = false
	}
}

func (p *peerServer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, peer := range p.peers {
		w.Write([]byte(peer + "\n"))
	}
}

// Etcd is one node.
type Etcd struct {
	Config     *Config
	peerServer *peerServer

	mu           sync.Mutex
	listener     net.Listener // Listener for Server
	peerListener net.Listener // Listener for PeerServer

	readyC chan struct{} // To signal when server is ready to accept connections
}

// New returns a node that does not run yet.
func New(c *Config) *Etcd {
	return &Etcd{Config: c, peerServer: &peerServer{}, readyC: make(chan struct{})}
}

func (e *Etcd) listen(addr string, set func(net.Listener)) net.Listener {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatal("failed to listen: ", err)
	}
	e.mu.Lock()
	set(l)
	e.mu.Unlock()
	return l
}

// Run the etcd instance. It returns after Stop.
func (e *Etcd) Run() {
	l := e.listen(e.Config.BindAddr, func(l net.Listener) { e.listener = l })
	log.Printf("etcd server [name %s, listen on %s]", e.Config.Name, l.Addr())

	peerServerClosed := make(chan struct{})
	go func() {
		defer close(peerServerClosed)
		// Starting peer server should be followed close by listening on its port
		// If not, it may leave many requests unaccepted, or cannot receive heartbeat from the cluster.
		e.peerServer.start(e.Config.Peers)

		pl := e.listen(e.Config.PeerAddr, func(l net.Listener) { e.peerListener = l })
		log.Printf("peer server [name %s, listen on %s]", e.Config.Name, pl.Addr())

		close(e.readyC)

		if err := http.Serve(pl, e.peerServer); err != nil && !errors.Is(err, net.ErrClosed) {
			log.Fatal(err)
		}
	}()

	if err := http.Serve(l, http.HandlerFunc(e.version)); err != nil && !errors.Is(err, net.ErrClosed) {
		log.Fatal(err)
	}

	<-peerServerClosed
	log.Printf("etcd instance is stopped [name %s]", e.Config.Name)
}

func (e *Etcd) version(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("etcd 0.4\n"))
}

// Stop the etcd instance.
func (e *Etcd) Stop() {
	<-e.readyC
	e.peerServer.stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.peerListener != nil {
		e.peerListener.Close()
	}
	if e.listener != nil {
		e.listener.Close()
	}
}

// ReadyNotify returns a channel that is going to be closed
// when the etcd instance is ready to accept connections.
func (e *Etcd) ReadyNotify() <-chan struct{} {
	return e.readyC
}

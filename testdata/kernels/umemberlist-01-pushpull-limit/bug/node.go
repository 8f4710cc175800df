// Package bug answers state exchange requests of other cluster members.
package bug

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxExchanges    = 128
	exchangeTimeout = 10 * time.Second
)

const (
	kindUser     = "user"
	kindExchange = "exchange"
)

// ErrTooMany is logged when a request is refused because of load.
var ErrTooMany = errors.New("too many pending state exchanges")

type header struct {
	Kind string
	From string
}

// PeerState is what a node tells about one member.
type PeerState struct {
	Name        string
	Addr        string
	Incarnation uint32
}

// Node is a member of the cluster.
type Node struct {
	// exchanges is the number of state exchanges under way. It is
	// accessed with atomic operations only.
	exchanges uint32

	ln     net.Listener
	logger *log.Logger
	onUser func(from string, r io.Reader)

	mu    sync.RWMutex
	peers map[string]PeerState
}

// NewNode serves ln until it is closed.
func NewNode(ln net.Listener, logger *log.Logger, onUser func(string, io.Reader)) *Node {
	n := &Node{ln: ln, logger: logger, onUser: onUser, peers: make(map[string]PeerState)}
	go n.listen()
	return n
}

func (n *Node) listen() {
	for {
		conn, err := n.ln.Accept()
		if err != nil {
			return
		}
		go n.handleConn(conn)
	}
}

// handleConn serves one stream connection.
func (n *Node) handleConn(conn net.Conn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(exchangeTimeout))
	dec := json.NewDecoder(conn)
	var h header
	if err := dec.Decode(&h); err != nil {
		n.logger.Printf("[ERR] reading header from %s: %v", conn.RemoteAddr(), err)
		return
	}

	switch h.Kind {
	case kindUser:
		n.onUser(h.From, io.MultiReader(dec.Buffered(), conn))
	case kindExchange:
		// Refuse the exchange if too many are open.
		if open := atomic.LoadUint32(&n.exchanges); open >= maxExchanges {
			n.logger.Printf("[ERR] %s: %v", conn.RemoteAddr(), ErrTooMany)
			return
		}
		atomic.AddUint32(&n.exchanges, 1)
		defer atomic.AddUint32(&n.exchanges, ^uint32(0))

		remote, err := readState(dec)
		if err != nil {
			n.logger.Printf("[ERR] reading state of %s: %v", h.From, err)
			return
		}
		if err := n.sendState(conn); err != nil {
			n.logger.Printf("[ERR] sending state to %s: %v", h.From, err)
			return
		}
		n.merge(remote)
	default:
		n.logger.Printf("[ERR] unknown message %q from %s", h.Kind, h.From)
	}
}

func readState(dec *json.Decoder) ([]PeerState, error) {
	var remote []PeerState
	err := dec.Decode(&remote)
	return remote, err
}

func (n *Node) sendState(w io.Writer) error {
	n.mu.RLock()
	local := make([]PeerState, 0, len(n.peers))
	for _, p := range n.peers {
		local = append(local, p)
	}
	n.mu.RUnlock()
	return json.NewEncoder(w).Encode(local)
}

func (n *Node) merge(remote []PeerState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range remote {
		if old, ok := n.peers[p.Name]; !ok || p.Incarnation > old.Incarnation {
			n.peers[p.Name] = p
		}
	}
}

package lr10

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"sync"
	"time"
)

type model struct {
	mu        sync.RWMutex
	rawConn   map[string]net.Conn
	protoConn map[string]*protoConnection
}

type protoConnection struct {
	id   string
	conn net.Conn
	done chan struct{}
}

func newProtoConnection(id string, conn net.Conn) *protoConnection {
	c := &protoConnection{id: id, conn: conn, done: make(chan struct{})}
	go c.readerLoop()
	return c
}

func (c *protoConnection) readerLoop() {
	defer close(c.done)
	buf := make([]byte, 4096)
	for {
		if _, err := c.conn.Read(buf); err != nil {
			return
		}
	}
}

// NewModel returns a model without connections.
func NewModel() *model {
	return &model{rawConn: make(map[string]net.Conn), protoConn: make(map[string]*protoConnection)}
}

func (m *model) ConnectedTo(id string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.protoConn[id]
	return ok
}

func (m *model) AddConnection(raw net.Conn, c *protoConnection) {
	m.mu.Lock()
	m.protoConn[c.id] = c
	m.rawConn[c.id] = raw
	m.mu.Unlock()
}

func (m *model) Close(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.rawConn[id]; c != nil {
		c.Close()
	}
	delete(m.rawConn, id)
	delete(m.protoConn, id)
}

type nodeConfig struct{ id, addr string }

func certID(c *tls.Conn) string {
	return fmt.Sprintf("%x", c.ConnectionState().PeerCertificates[0].Signature)
}

// Start listens for and dials the configured nodes.
func Start(addr string, m *model, cfg *tls.Config, nodes []nodeConfig) {
	go listen(addr, m, cfg, nodes)
	go connect(m, cfg, nodes)
}

func listen(addr string, m *model, cfg *tls.Config, nodes []nodeConfig) {
	l, err := tls.Listen("tcp", addr, cfg)
	if err != nil {
		log.Fatal(err)
	}
next:
	for {
		conn, err := l.Accept()
		if err != nil {
			continue
		}
		tc := conn.(*tls.Conn)
		if err := tc.Handshake(); err != nil {
			tc.Close()
			continue
		}
		remoteID := certID(tc)
		if m.ConnectedTo(remoteID) {
			log.Printf("Connect from connected node (%s)", remoteID)
			tc.Close()
			continue
		}
		for _, n := range nodes {
			if n.id == remoteID {
				m.AddConnection(tc, newProtoConnection(remoteID, tc))
				continue next
			}
		}
		tc.Close()
	}
}

func connect(m *model, cfg *tls.Config, nodes []nodeConfig) {
	for {
		for _, n := range nodes {
			if m.ConnectedTo(n.id) {
				continue
			}
			conn, err := tls.Dial("tcp", n.addr, cfg)
			if err != nil {
				continue
			}
			if remoteID := certID(conn); remoteID != n.id {
				log.Printf("Unexpected node (%s != %s)", remoteID, n.id)
				conn.Close()
				continue
			}
			m.AddConnection(conn, newProtoConnection(n.id, conn))
		}
		time.Sleep(10 * time.Second)
	}
}

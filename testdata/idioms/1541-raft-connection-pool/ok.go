package a

import (
	"bufio"
	"encoding/json"
	"net"
	"sync"
	"time"
)

// netConn is a connection to another server, used by one RPC at a time.
type netConn struct {
	target string
	conn   net.Conn
	dec    *json.Decoder
	w      *bufio.Writer
	enc    *json.Encoder
}

func (n *netConn) Release() error { return n.conn.Close() }

// NetworkTransport provides a network based transport that can be
// used to communicate with Raft on remote machines.
type NetworkTransport struct {
	timeout time.Duration
	maxPool int

	connPoolLock sync.Mutex
	connPool     map[string][]*netConn
}

func NewNetworkTransport(maxPool int, timeout time.Duration) *NetworkTransport {
	return &NetworkTransport{timeout: timeout, maxPool: maxPool, connPool: map[string][]*netConn{}}
}

// getPooledConn is used to grab a pooled connection.
func (n *NetworkTransport) getPooledConn(target string) *netConn {
	n.connPoolLock.Lock()
	defer n.connPoolLock.Unlock()

	conns, ok := n.connPool[target]
	if !ok || len(conns) == 0 {
		return nil
	}

	var conn *netConn
	num := len(conns)
	conn, conns[num-1] = conns[num-1], nil
	n.connPool[target] = conns[:num-1]
	return conn
}

// getConn is used to get a connection from the pool.
func (n *NetworkTransport) getConn(target string) (*netConn, error) {
	// Check for a pooled conn
	if conn := n.getPooledConn(target); conn != nil {
		return conn, nil
	}

	// Dial a new connection
	conn, err := net.DialTimeout("tcp", target, n.timeout)
	if err != nil {
		return nil, err
	}

	// Wrap the conn
	w := bufio.NewWriter(conn)
	return &netConn{
		target: target,
		conn:   conn,
		dec:    json.NewDecoder(bufio.NewReader(conn)),
		w:      w,
		enc:    json.NewEncoder(w),
	}, nil
}

// returnConn returns a connection back to the pool.
func (n *NetworkTransport) returnConn(conn *netConn) {
	n.connPoolLock.Lock()
	defer n.connPoolLock.Unlock()

	key := conn.target
	conns := n.connPool[key]

	if len(conns) < n.maxPool {
		n.connPool[key] = append(conns, conn)
	} else {
		conn.Release()
	}
}

// CloseStreams closes the idle connections.
func (n *NetworkTransport) CloseStreams() {
	n.connPoolLock.Lock()
	defer n.connPoolLock.Unlock()

	for k, e := range n.connPool {
		for _, conn := range e {
			conn.Release()
		}
		delete(n.connPool, k)
	}
}

// genericRPC handles a simple request/response RPC.
func (n *NetworkTransport) genericRPC(target string, args, resp any) error {
	conn, err := n.getConn(target)
	if err != nil {
		return err
	}

	// Set a deadline
	if n.timeout > 0 {
		conn.conn.SetDeadline(time.Now().Add(n.timeout))
	}

	err = conn.enc.Encode(args)
	if err == nil {
		err = conn.w.Flush()
	}
	if err == nil {
		err = conn.dec.Decode(resp)
	}
	if err != nil {
		conn.Release()
		return err
	}
	n.returnConn(conn)
	return nil
}

// Heartbeat sends heartbeats to a peer until stop is closed.
func (n *NetworkTransport) Heartbeat(peer string, interval time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			var resp struct{ Success bool }
			_ = n.genericRPC(peer, struct{ Heartbeat bool }{true}, &resp)
		case <-stop:
			return
		}
	}
}

package raft

import (
	"errors"
	"net"
	"sync"
	"time"
)

// ErrTransportShutdown is returned when operations on a transport are
// invoked after it's been terminated.
var ErrTransportShutdown = errors.New("transport shutdown")

type netConn struct {
	target string
	conn   net.Conn
}

// Release closes the connection.
func (n *netConn) Release() error {
	return n.conn.Close()
}

// NetworkTransport keeps up to maxPool idle connections for each target.
type NetworkTransport struct {
	maxPool int
	timeout time.Duration
	dial    func(target string, timeout time.Duration) (net.Conn, error)

	connPoolLock sync.Mutex
	connPool     map[string][]*netConn
	shutdown     bool
}

// NewNetworkTransport returns a transport.
func NewNetworkTransport(maxPool int, timeout time.Duration, dial func(string, time.Duration) (net.Conn, error)) *NetworkTransport {
	return &NetworkTransport{maxPool: maxPool, timeout: timeout, dial: dial, connPool: make(map[string][]*netConn)}
}

// getPooledConn is used to grab a pooled connection. It is taken out of the
// pool, so that nobody else has it.
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

	// Dial a new connection; several callers may do so at the same time, the
	// limit is on the idle ones.
	conn, err := n.dial(target, n.timeout)
	if err != nil {
		return nil, err
	}
	return &netConn{target: target, conn: conn}, nil
}

// returnConn returns a connection back to the pool.
func (n *NetworkTransport) returnConn(conn *netConn) {
	n.connPoolLock.Lock()
	defer n.connPoolLock.Unlock()

	key := conn.target
	conns := n.connPool[key]

	if !n.shutdown && len(conns) < n.maxPool {
		n.connPool[key] = append(conns, conn)
	} else {
		conn.Release()
	}
}

// RPC writes a request to the target and reads the response. The replication
// goroutines of all peers call it.
func (n *NetworkTransport) RPC(target string, req, resp []byte) (int, error) {
	conn, err := n.getConn(target)
	if err != nil {
		return 0, err
	}
	conn.conn.SetDeadline(time.Now().Add(n.timeout))
	if _, err := conn.conn.Write(req); err != nil {
		conn.Release()
		return 0, err
	}
	num, err := conn.conn.Read(resp)
	if err != nil {
		conn.Release()
		return num, err
	}
	n.returnConn(conn)
	return num, nil
}

// Close closes the idle connections; those in use are closed when they are
// returned.
func (n *NetworkTransport) Close() error {
	n.connPoolLock.Lock()
	defer n.connPoolLock.Unlock()

	if n.shutdown {
		return ErrTransportShutdown
	}
	n.shutdown = true
	for k, e := range n.connPool {
		for _, conn := range e {
			conn.Release()
		}
		delete(n.connPool, k)
	}
	return nil
}

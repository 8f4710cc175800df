package serf

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"strings"
	"sync"
	"time"
)

// Memberlist holds the network side of the cluster membership.
type Memberlist struct {
	listener net.Listener
	onJoin   func(name, addr string)
	logger   *log.Logger

	lock     sync.Mutex
	left     bool
	shutdown bool
	wg       sync.WaitGroup
}

func newMemberlist(bind string, onJoin func(name, addr string), logger *log.Logger) (*Memberlist, error) {
	ln, err := net.Listen("tcp", bind)
	if err != nil {
		return nil, fmt.Errorf("Failed to start TCP listener. Err: %s", err)
	}
	m := &Memberlist{listener: ln, onJoin: onJoin, logger: logger}
	m.wg.Add(1)
	go m.tcpListen()
	return m, nil
}

// tcpListen listens for and handles incoming connections
func (m *Memberlist) tcpListen() {
	defer m.wg.Done()
	for {
		conn, err := m.listener.Accept()
		if err != nil {
			m.lock.Lock()
			shutdown := m.shutdown
			m.lock.Unlock()
			if shutdown {
				return
			}
			m.logger.Printf("[ERR] memberlist: Error accepting TCP connection: %s", err)
			continue
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil {
			m.onJoin(strings.TrimSpace(line), conn.RemoteAddr().String())
		}
		conn.Close()
	}
}

// Join is used to take an existing Memberlist and attempt to join a cluster
// by contacting all the given hosts and performing a state sync.
func (m *Memberlist) Join(existing []string) (int, error) {
	num := 0
	for _, addr := range existing {
		conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
		if err != nil {
			return num, err
		}
		_, err = fmt.Fprintf(conn, "%s\n", m.listener.Addr())
		conn.Close()
		if err != nil {
			return num, err
		}
		num++
	}
	return num, nil
}

// Leave will broadcast a leave message but will not shutdown the background
// listeners, meaning the node will continue participating in gossip and state
// updates.
func (m *Memberlist) Leave(timeout time.Duration) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.shutdown {
		return fmt.Errorf("leave after shutdown")
	}
	m.left = true
	return nil
}

// Shutdown will stop any background maintanence of network activity
// for this memberlist, causing it to appear "dead".
//
// This method is safe to call multiple times.
func (m *Memberlist) Shutdown() error {
	m.lock.Lock()
	if m.shutdown {
		m.lock.Unlock()
		return nil
	}
	m.shutdown = true
	err := m.listener.Close()
	m.lock.Unlock()
	m.wg.Wait()
	return err
}

// Package tunnel seals packets for the peers of an overlay network.
package tunnel

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	headerSize     = 16
	typeData       = 4
	rejectAfter    = 1 << 62
	rekeyAfter     = 1 << 60
	rekeyAfterTime = 2 * time.Minute
)

var (
	ErrNoSession = errors.New("tunnel: no session with peer")
	ErrExhausted = errors.New("tunnel: session key is used up")
)

// session is one negotiated key pair. The nonce is the packet counter.
type session struct {
	aead    cipher.AEAD
	remote  uint32
	created time.Time
	counter atomic.Uint64
}

func (s *session) stale() bool {
	return s.counter.Load() > rekeyAfter || time.Since(s.created) > rekeyAfterTime
}

// Peer is the far end of a tunnel.
type Peer struct {
	conn  net.PacketConn
	rekey func()

	mu       sync.RWMutex
	endpoint net.Addr
	current  *session

	txBytes atomic.Uint64
}

// NewPeer returns a peer that is reached over conn.
func NewPeer(conn net.PacketConn, endpoint net.Addr, rekey func()) *Peer {
	return &Peer{conn: conn, endpoint: endpoint, rekey: rekey}
}

// Establish installs the keys of a completed handshake.
func (p *Peer) Establish(aead cipher.AEAD, remote uint32) {
	s := &session{aead: aead, remote: remote, created: time.Now()}
	p.mu.Lock()
	p.current = s
	p.mu.Unlock()
}

// Roam notes that the peer was seen at another address.
func (p *Peer) Roam(addr net.Addr) {
	p.mu.Lock()
	p.endpoint = addr
	p.mu.Unlock()
}

func (p *Peer) route() (*session, net.Addr) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.current, p.endpoint
}

func (s *session) seal(dst []byte, counter uint64, packet []byte) []byte {
	var nonce [12]byte
	binary.LittleEndian.PutUint64(nonce[4:], counter)
	dst = append(dst, typeData, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, s.remote)
	dst = binary.LittleEndian.AppendUint64(dst, counter)
	return s.aead.Seal(dst, nonce[:], packet, nil)
}

// SendBatch seals and sends packets. It is called by all TUN queues.
func (p *Peer) SendBatch(packets [][]byte) error {
	s, addr := p.route()
	if s == nil {
		p.rekey()
		return ErrNoSession
	}
	first := s.counter.Load()
	if first+uint64(len(packets)) > rejectAfter {
		p.rekey()
		return ErrExhausted
	}

	sealed := make([][]byte, 0, len(packets))
	for i, pkt := range packets {
		buf := make([]byte, 0, headerSize+len(pkt)+s.aead.Overhead())
		sealed = append(sealed, s.seal(buf, first+uint64(i), pkt))
	}
	s.counter.Add(uint64(len(packets)))

	for _, b := range sealed {
		n, err := p.conn.WriteTo(b, addr)
		p.txBytes.Add(uint64(n))
		if err != nil {
			return err
		}
	}
	if s.stale() {
		p.rekey()
	}
	return nil
}

// TxBytes returns how much was sent to the peer.
func (p *Peer) TxBytes() uint64 { return p.txBytes.Load() }

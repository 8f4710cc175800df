package connections

import (
	"errors"
	"fmt"
	"log"
	"net"
	"time"
)

// internalConn is the raw TLS connection plus some metadata on where it
// came from (type, priority).
type internalConn struct {
	tlsConn
	connType string
	priority int
}

type tlsConn interface {
	net.Conn
	PeerID() (DeviceID, error)
	VerifyHostname(name string) error
}

func (c internalConn) String() string {
	return fmt.Sprintf("%s-%s/%s", c.LocalAddr(), c.RemoteAddr(), c.connType)
}

// completeConn is the aggregation of an internalConn and the protocol
// settings that are used on it.
type completeConn struct {
	internalConn
	id          DeviceID
	compression int
}

// The Service listens on TLS and dials configured unconnected devices.
// Successful connections are handed to the model.
type Service struct {
	cfg                  *Wrapper
	myID                 DeviceID
	model                *Model
	conns                chan internalConn
	dial                 func(addr string) (internalConn, error)
	tlsDefaultCommonName string
	stop                 chan struct{}
}

func NewService(cfg *Wrapper, myID DeviceID, mdl *Model, dial func(addr string) (internalConn, error), ln net.Listener, wrap func(net.Conn) internalConn) *Service {
	service := &Service{
		cfg:                  cfg,
		myID:                 myID,
		model:                mdl,
		conns:                make(chan internalConn),
		dial:                 dial,
		tlsDefaultCommonName: "syncthing",
		stop:                 make(chan struct{}),
	}

	// There are several moving parts here; one routine per listening address
	// to handle incoming connections, one routine to periodically attempt
	// outgoing connections, one routine to the common handling regardless of
	// whether the connection was incoming or outgoing.
	go service.listen(ln, wrap)
	go service.connect()
	go service.handle()

	return service
}

func (s *Service) listen(ln net.Listener, wrap func(net.Conn) internalConn) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		s.conns <- wrap(c)
	}
}

func (s *Service) connect() {
	for {
		for _, dev := range s.cfg.RawCopy() {
			if dev.DeviceID == s.myID || dev.Paused || s.model.ConnectedTo(dev.DeviceID) {
				continue
			}
			for _, addr := range dev.Addresses {
				conn, err := s.dial(addr)
				if err != nil {
					continue
				}
				s.conns <- conn
				break
			}
		}
		select {
		case <-time.After(time.Minute):
		case <-s.stop:
			return
		}
	}
}

func (s *Service) handle() {
next:
	for c := range s.conns {
		// We should have received exactly one certificate from the other
		// side. If we didn't, they don't have a device ID and we drop the
		// connection.
		remoteID, err := c.PeerID()
		if err != nil {
			log.Printf("Got no certificate from peer at %s; protocol error", c)
			c.Close()
			continue
		}

		// The device ID should not be that of ourselves. It can happen
		// though, especially in the presence of NAT hairpinning, multiple
		// clients between the same NAT gateway, and global discovery.
		if remoteID == s.myID {
			log.Printf("Connected to myself (%s) at %s - should not happen", remoteID, c)
			c.Close()
			continue
		}

		c.SetDeadline(time.Now().Add(20 * time.Second))
		hello, err := exchangeHello(c, s.model.GetHello(remoteID))
		if err != nil {
			// It's something else - connection reset or whatever
			log.Printf("Failed to exchange Hello messages with %s at %s: %s", remoteID, c, err)
			c.Close()
			continue
		}
		c.SetDeadline(time.Time{})

		// The Model will return an error for devices that we don't want to
		// have a connection with for whatever reason, for example unknown devices.
		if err := s.model.OnHello(remoteID, c.RemoteAddr(), hello); err != nil {
			log.Printf("Connection from %s at %s rejected: %v", remoteID, c.RemoteAddr(), err)
			c.Close()
			continue
		}

		if s.model.ConnectedTo(remoteID) {
			// We should not already be connected to the other party. TODO: This
			// could use some better handling.
			log.Printf("Connected to already connected device %s (new: %s)", remoteID, c)
			c.Close()
			continue
		}

		deviceCfg, ok := s.cfg.Device(remoteID)
		if !ok {
			panic("bug: unknown device should already have been rejected")
		}

		// Verify the name on the certificate. By default we set it to
		// "syncthing" when generating, but the user may have replaced
		// the certificate and used another name.
		certName := deviceCfg.CertName
		if certName == "" {
			certName = s.tlsDefaultCommonName
		}
		if err := c.VerifyHostname(certName); err != nil {
			// Incorrect certificate name is something the user most
			// likely wants to know about, since it's an advanced
			// config. Warn instead of Info.
			log.Printf("Bad certificate from %s at %s: %v", remoteID, c, err)
			c.Close()
			continue next
		}

		modelConn := completeConn{c, remoteID, deviceCfg.Compression}

		log.Printf("Established secure connection to %s at %s", remoteID, c)

		s.model.AddConnection(modelConn, hello)
		continue next
	}
}

func (s *Service) Stop() { close(s.stop) }

func exchangeHello(c net.Conn, h HelloResult) (HelloResult, error) {
	if _, err := c.Write([]byte(h.DeviceName)); err != nil {
		return HelloResult{}, err
	}
	buf := make([]byte, 256)
	n, err := c.Read(buf)
	if err != nil {
		return HelloResult{}, err
	}
	if n == 0 {
		return HelloResult{}, errors.New("short hello")
	}
	return HelloResult{DeviceName: string(buf[:n])}, nil
}

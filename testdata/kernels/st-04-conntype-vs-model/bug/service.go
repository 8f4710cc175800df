package bug

import (
	"log"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/st-04-conntype-vs-model/bug/model"
)

// Registry is where established connections go.
type Registry interface {
	AddConnection(c model.Conn) error
	ConnectedTo(device string) bool
	IsPaused(device string) bool
	Close(device string)
}

// Dialer opens an authenticated connection to a device.
type Dialer func(device string, kind model.Kind) (model.Conn, error)

// Service accepts connections and dials the devices that have none.
type Service struct {
	devices []string
	reg     Registry
	dial    Dialer
	conns   chan model.Conn

	mut    sync.RWMutex
	kinds  map[string]model.Kind
	relays bool
}

// NewService returns a running service for the given devices.
func NewService(devices []string, reg Registry, dial Dialer, every time.Duration) *Service {
	s := &Service{
		devices: devices,
		reg:     reg,
		dial:    dial,
		conns:   make(chan model.Conn),
		kinds:   make(map[string]model.Kind),
		relays:  true,
	}
	go s.handle()
	go s.connect(every)
	return s
}

// Incoming hands over a connection made by a remote device.
func (s *Service) Incoming(c model.Conn) { s.conns <- c }

// SetRelays enables or disables connections through relays.
func (s *Service) SetRelays(on bool) {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.relays = on
}

// Remove forgets the connection of a device.
func (s *Service) Remove(device string) {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.reg.Close(device)
	delete(s.kinds, device)
}

// handle registers new connections, a direct one replaces one through a relay.
func (s *Service) handle() {
	for c := range s.conns {
		s.mut.RLock()
		kind, ok := s.kinds[c.Device]
		s.mut.RUnlock()

		if ok && kind == model.Relayed && c.Kind == model.Direct {
			log.Printf("%s: switching to a direct connection", c.Device)
			s.reg.Close(c.Device)
		} else if s.reg.ConnectedTo(c.Device) {
			log.Printf("%s: already connected", c.Device)
			c.Close()
			continue
		}

		if err := s.reg.AddConnection(c); err != nil {
			log.Printf("%s: %v", c.Device, err)
			c.Close()
			continue
		}
		s.mut.Lock()
		s.kinds[c.Device] = c.Kind
		s.mut.Unlock()
	}
}

// connect dials all devices that could have a better connection.
func (s *Service) connect(every time.Duration) {
	for range time.Tick(every) {
	nextDevice:
		for _, device := range s.devices {
			if s.reg.IsPaused(device) {
				continue
			}
			connected := s.reg.ConnectedTo(device)

			s.mut.RLock()
			kind, ok := s.kinds[device]
			relays := s.relays
			s.mut.RUnlock()

			if connected && ok && kind == model.Direct {
				continue
			}
			want := []model.Kind{model.Direct}
			if !connected && relays {
				want = append(want, model.Relayed)
			}
			for _, k := range want {
				if c, err := s.dial(device, k); err == nil {
					s.conns <- c
					continue nextDevice
				}
			}
		}
	}
}

package nat

import (
	"context"
	"log"
	"net"
	"sync"
	"time"
)

type Protocol string

const (
	TCP Protocol = "TCP"
	UDP Protocol = "UDP"
)

type Address struct {
	IP   net.IP
	Port int
}

// A Device is an internet gateway device that is able to forward ports.
type Device interface {
	ID() string
	AddPortMapping(protocol Protocol, internalPort, externalPort int, description string, duration time.Duration) (int, error)
	GetExternalIPAddress() (net.IP, error)
}

type DiscoverFunc func(ctx context.Context, renewal, timeout time.Duration) []Device

type Options struct {
	NATEnabled  bool
	NATRenewalM int
	NATTimeoutS int
}

type Configuration struct {
	Options Options
}

// Wrapper holds the configuration and tells its subscribers of changes.
type Wrapper struct {
	commitMut sync.Mutex // held while subscribers are told of a change

	mut  sync.Mutex
	cfg  Configuration
	subs []Committer
}

type Committer interface {
	CommitConfiguration(from, to Configuration) bool
}

func (w *Wrapper) Options() Options {
	w.mut.Lock()
	defer w.mut.Unlock()
	return w.cfg.Options
}

// Subscribe registers the committer and tells it the present configuration.
func (w *Wrapper) Subscribe(c Committer) {
	w.commitMut.Lock()
	defer w.commitMut.Unlock()
	w.mut.Lock()
	w.subs = append(w.subs, c)
	cfg := w.cfg
	w.mut.Unlock()
	c.CommitConfiguration(cfg, cfg)
}

func (w *Wrapper) Replace(to Configuration) {
	w.commitMut.Lock()
	defer w.commitMut.Unlock()
	w.mut.Lock()
	from := w.cfg
	w.cfg = to
	subs := append([]Committer(nil), w.subs...)
	w.mut.Unlock()
	for _, s := range subs {
		s.CommitConfiguration(from, to)
	}
}

// Mapping is a port that is to be forwarded by all known devices. The field
// expires belongs to the service loop.
type Mapping struct {
	protocol Protocol
	address  Address

	mut          sync.RWMutex
	extAddresses map[string]Address

	expires time.Time
}

func (m *Mapping) setAddress(id string, address Address) {
	m.mut.Lock()
	m.extAddresses[id] = address
	m.mut.Unlock()
}

func (m *Mapping) clearAddresses() {
	m.mut.Lock()
	m.extAddresses = make(map[string]Address)
	m.mut.Unlock()
}

// ExternalAddresses returns all external addresses of the mapping.
func (m *Mapping) ExternalAddresses() []Address {
	m.mut.RLock()
	defer m.mut.RUnlock()
	addrs := make([]Address, 0, len(m.extAddresses))
	for _, a := range m.extAddresses {
		addrs = append(addrs, a)
	}
	return addrs
}

// Service runs a loop for discovery of IGDs (Internet Gateway Devices) and
// setup/renewal of a port mapping.
type Service struct {
	id          string
	cfg         *Wrapper
	discoverAll DiscoverFunc

	mappings []*Mapping
	timer    *time.Timer
	mut      sync.RWMutex
}

func NewService(id string, cfg *Wrapper, discover DiscoverFunc) *Service {
	s := &Service{
		id:          id,
		cfg:         cfg,
		discoverAll: discover,

		timer: time.NewTimer(0),
	}
	cfg.Subscribe(s)
	return s
}

func (s *Service) CommitConfiguration(from, to Configuration) bool {
	if !from.Options.NATEnabled && to.Options.NATEnabled {
		s.mut.Lock()
		log.Println("Starting NAT service")
		s.timer.Reset(0)
		s.mut.Unlock()
	} else if from.Options.NATEnabled && !to.Options.NATEnabled {
		s.mut.Lock()
		log.Println("Stopping NAT service")
		s.timer.Stop()
		s.mut.Unlock()
	}
	return true
}

// Serve runs until the context is done.
func (s *Service) Serve(ctx context.Context) {
	announce := sync.Once{}

	s.mut.Lock()
	s.timer.Reset(0)
	s.mut.Unlock()

	for {
		select {
		case <-s.timer.C:
			if found := s.process(ctx); found != -1 {
				announce.Do(func() {
					log.Println("Detected", found, "NAT services")
				})
			}
		case <-ctx.Done():
			s.timer.Stop()
			s.mut.RLock()
			for _, mapping := range s.mappings {
				mapping.clearAddresses()
			}
			s.mut.RUnlock()
			return
		}
	}
}

func (s *Service) process(ctx context.Context) int {
	// toRenew are mappings which are due for renewal
	// toUpdate are the remaining mappings, which will only be updated if one of
	// the old IGDs has gone away, or a new IGD has appeared, but only if we
	// actually need to perform a renewal.
	var toRenew, toUpdate []*Mapping

	opts := s.cfg.Options()
	renewIn := time.Duration(opts.NATRenewalM) * time.Minute
	if renewIn == 0 {
		// We always want to do renewal so lets just pick a nice sane number.
		renewIn = 30 * time.Minute
	}

	s.mut.RLock()
	for _, mapping := range s.mappings {
		if mapping.expires.Before(time.Now()) {
			toRenew = append(toRenew, mapping)
		} else {
			toUpdate = append(toUpdate, mapping)
			mappingRenewIn := time.Until(mapping.expires)
			if mappingRenewIn < renewIn {
				renewIn = mappingRenewIn
			}
		}
	}
	// Reset the timer while holding the lock, because of the following race:
	// T1: process acquires lock
	// T1: process checks the mappings and gets next renewal time in 30m
	// T2: process releases the lock
	// T2: NewMapping acquires the lock
	// T2: NewMapping adds mapping
	// T2: NewMapping releases the lock
	// T2: NewMapping resets timer to 1s
	// T1: process resets timer to 30
	s.timer.Reset(renewIn)
	s.mut.RUnlock()

	// Don't do anything, unless we really need to renew
	if len(toRenew) == 0 {
		return -1
	}

	nats := s.discoverAll(ctx, time.Duration(opts.NATRenewalM)*time.Minute, time.Duration(opts.NATTimeoutS)*time.Second)

	for _, mapping := range toRenew {
		s.updateMapping(ctx, mapping, nats, true)
	}

	for _, mapping := range toUpdate {
		s.updateMapping(ctx, mapping, nats, false)
	}

	return len(nats)
}

func (s *Service) NewMapping(protocol Protocol, ip net.IP, port int) *Mapping {
	mapping := &Mapping{
		protocol: protocol,
		address: Address{
			IP:   ip,
			Port: port,
		},
		extAddresses: make(map[string]Address),
	}

	s.mut.Lock()
	s.mappings = append(s.mappings, mapping)
	// Reset the timer while holding the lock, see process() for explanation
	s.timer.Reset(time.Second)
	s.mut.Unlock()

	return mapping
}

// updateMapping tries to acquire the mapping from all natds, and renews the
// lease of known ones if asked to.
func (s *Service) updateMapping(ctx context.Context, mapping *Mapping, nats []Device, renew bool) {
	renewalTime := time.Duration(s.cfg.Options().NATRenewalM) * time.Minute
	mapping.expires = time.Now().Add(renewalTime)

	for _, nat := range nats {
		select {
		case <-ctx.Done():
			return
		default:
		}
		if !renew && s.knows(mapping, nat.ID()) {
			continue
		}
		port, err := nat.AddPortMapping(mapping.protocol, mapping.address.Port, mapping.address.Port, "syncthing-"+s.id, renewalTime)
		if err != nil {
			continue
		}
		ip, err := nat.GetExternalIPAddress()
		if err != nil {
			continue
		}
		mapping.setAddress(nat.ID(), Address{IP: ip, Port: port})
	}
}

func (s *Service) knows(mapping *Mapping, id string) bool {
	mapping.mut.RLock()
	defer mapping.mut.RUnlock()
	_, ok := mapping.extAddresses[id]
	return ok
}

package cni

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrLoad              = errors.New("failed to load cni config")
	ErrCNINotInitialized = errors.New("cni plugin not initialized")
)

// Network is one CNI configuration.
type Network struct {
	cni    Plugin
	name   string
	ifName string
}

// Plugin executes a CNI plugin.
type Plugin interface {
	Add(ctx context.Context, network, ifName, netns string) (string, error)
	Del(ctx context.Context, network, ifName, netns string) error
}

// Attach adds the namespace to the network.
func (n *Network) Attach(ctx context.Context, netns string) (string, error) {
	return n.cni.Add(ctx, n.name, n.ifName, netns)
}

// Remove removes the namespace from the network.
func (n *Network) Remove(ctx context.Context, netns string) error {
	return n.cni.Del(ctx, n.name, n.ifName, netns)
}

// Opt configures a libcni; it runs with the lock held.
type Opt func(c *libcni) error

type libcni struct {
	cniConfig    Plugin
	networkCount int // minimum network plugin configurations needed to initialize cni
	networks     []*Network
	sync.RWMutex
}

// New creates a new libcni instance.
func New(p Plugin, networkCount int) *libcni {
	return &libcni{cniConfig: p, networkCount: networkCount}
}

// Load loads the latest config from cni config files. The watcher of the
// config directory calls it on every change, while pods are set up and torn
// down.
func (c *libcni) Load(opts ...Opt) error {
	c.Lock()
	defer c.Unlock()
	// Reset the networks on a load operation to ensure
	// config happens on a clean slate
	c.reset()

	for _, o := range opts {
		if err := o(c); err != nil {
			return fmt.Errorf("cni config load failed: %v: %w", err, ErrLoad)
		}
	}
	return nil
}

// WithNetwork adds a network.
func WithNetwork(name, ifName string) Opt {
	return func(c *libcni) error {
		if name == "" {
			return errors.New("no name")
		}
		c.networks = append(c.networks, &Network{cni: c.cniConfig, name: name, ifName: ifName})
		return nil
	}
}

// Networks returns all the configured networks.
func (c *libcni) Networks() []*Network {
	c.RLock()
	defer c.RUnlock()
	return append([]*Network{}, c.networks...)
}

// Setup sets up the network in the namespace and returns the addresses.
func (c *libcni) Setup(ctx context.Context, netns string) ([]string, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	c.RLock()
	defer c.RUnlock()
	return c.attachNetworksSerially(ctx, netns)
}

func (c *libcni) attachNetworksSerially(ctx context.Context, netns string) ([]string, error) {
	var results []string
	for _, network := range c.networks {
		r, err := network.Attach(ctx, netns)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// Remove removes the network config from the namespace.
func (c *libcni) Remove(ctx context.Context, netns string) error {
	if err := c.ready(); err != nil {
		return err
	}
	c.RLock()
	defer c.RUnlock()
	for _, network := range c.networks {
		if err := network.Remove(ctx, netns); err != nil {
			return err
		}
	}
	return nil
}

func (c *libcni) reset() {
	c.networks = nil
}

func (c *libcni) ready() error {
	if len(c.Networks()) < c.networkCount {
		return ErrCNINotInitialized
	}
	return nil
}

// syncLoop reloads the configuration for every event of the watcher.
func (c *libcni) syncLoop(events <-chan []Opt, failed func(error)) {
	for opts := range events {
		if err := c.Load(opts...); err != nil {
			failed(err)
		}
	}
}

// Serve starts the loop of the watcher and sets up one pod per request.
func (c *libcni) Serve(ctx context.Context, events <-chan []Opt, pods <-chan string, done func(netns string, addrs []string, err error)) {
	go c.syncLoop(events, func(err error) { done("", nil, err) })
	for netns := range pods {
		go func() {
			addrs, err := c.Setup(ctx, netns)
			if err != nil {
				c.Remove(ctx, netns)
			}
			done(netns, addrs, err)
		}()
	}
}

package ctr

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Manifest of an image; the first blob is the config, the others are layers.
type Manifest struct {
	Digest string
	Config string
	Layers []string
}

// Resolver gets images from a registry.
type Resolver interface {
	Resolve(ctx context.Context, ref string) (Manifest, error)
	Fetch(ctx context.Context, dgst string) ([]byte, error)
}

// Applier extracts a layer into a snapshot.
type Applier interface {
	Apply(ctx context.Context, layer []byte, key string) error
}

// Client is the client to interact with containerd and its various services.
type Client struct {
	db       *DB
	resolver Resolver
	applier  Applier
	unique   atomic.Int64
}

func NewClient(db *DB, resolver Resolver, applier Applier) *Client {
	return &Client{db: db, resolver: resolver, applier: applier}
}

// WithLease attaches a lease on the context
func (c *Client) WithLease(ctx context.Context) (context.Context, func(context.Context) error, error) {
	_, ok := leaseFromContext(ctx)
	if ok {
		return ctx, func(context.Context) error {
			return nil
		}, nil
	}

	id := c.db.CreateLease()
	ctx = withLeaseID(ctx, id)
	return ctx, func(ctx context.Context) error {
		return c.db.DeleteLease(id)
	}, nil
}

// Image describes an image used by containers
type Image struct {
	client *Client
	name   string
	m      Manifest
}

// Target descriptor for the image content
func (i *Image) Target() string {
	return i.m.Digest
}

// Pull downloads the provided content into containerd's content store
func (c *Client) Pull(ctx context.Context, ref string) (*Image, error) {
	ctx, done, err := c.WithLease(ctx)
	if err != nil {
		return nil, err
	}
	defer done(ctx)

	m, err := c.resolver.Resolve(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("failed to resolve reference %q: %w", ref, err)
	}

	labels := make(map[string]string)
	for n, dgst := range append([]string{m.Config}, m.Layers...) {
		data, err := c.resolver.Fetch(ctx, dgst)
		if err != nil {
			return nil, err
		}
		if err := c.db.WriteBlob(ctx, dgst, data, make(map[string]string)); err != nil {
			return nil, err
		}
		labels[fmt.Sprintf("%s%d", labelGCContent, n)] = dgst
	}
	data, err := c.resolver.Fetch(ctx, m.Digest)
	if err != nil {
		return nil, err
	}
	if err := c.db.WriteBlob(ctx, m.Digest, data, labels); err != nil {
		return nil, err
	}
	if err := c.db.SetImage(ref, m.Digest); err != nil {
		return nil, err
	}
	return &Image{client: c, name: ref, m: m}, nil
}

// Unpack unpacks the image's content into a snapshot
func (i *Image) Unpack(ctx context.Context) error {
	ctx, done, err := i.client.WithLease(ctx)
	if err != nil {
		return err
	}
	defer done(ctx)

	var parent string
	for _, layer := range i.m.Layers {
		chainID := parent + "+" + layer
		if err := i.client.applyLayer(ctx, layer, parent, chainID); err != nil {
			return err
		}
		parent = chainID
	}
	return i.client.db.SetLabel(i.m.Config, labelGCSnapshot, parent)
}

// applyLayer applies a single layer on top of the given provided layer chain.
func (c *Client) applyLayer(ctx context.Context, layer, parent, chainID string) (err error) {
	key := fmt.Sprintf("extract-%d %s", c.unique.Add(1), chainID)

	// Prepare snapshot with from parent, label as root
	if err := c.db.Prepare(ctx, key, parent, chainID); err != nil {
		if err == errAlreadyExists {
			return nil
		}
		return fmt.Errorf("failed to prepare extraction snapshot %q: %w", key, err)
	}
	defer func() {
		if err != nil {
			c.db.RemoveSnapshot(key)
		}
	}()

	data, err := c.db.ReadBlob(layer)
	if err != nil {
		return err
	}
	if err := c.applier.Apply(ctx, data, key); err != nil {
		return fmt.Errorf("failed to extract layer %s: %w", layer, err)
	}
	return c.db.Commit(ctx, chainID, key)
}

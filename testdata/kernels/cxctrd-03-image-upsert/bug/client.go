// Package bug pulls images.
package bug

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Errors of the image store.
var (
	ErrNotFound      = errors.New("not found")
	ErrAlreadyExists = errors.New("already exists")
)

// Descriptor names content.
type Descriptor struct {
	Digest string
	Size   int64
}

// Image is the record of an image.
type Image struct {
	Name   string
	Labels map[string]string
	Target Descriptor
}

// Store keeps records of images.
type Store interface {
	Get(ctx context.Context, name string) (Image, error)
	Create(ctx context.Context, image Image) (Image, error)
	Update(ctx context.Context, image Image, fieldpaths ...string) (Image, error)
	Delete(ctx context.Context, name string) error
}

// imageStore is the store of the metadata database.
type imageStore struct {
	mu     sync.RWMutex
	images map[string]Image
}

// NewImageStore returns an empty store.
func NewImageStore() Store { return &imageStore{images: make(map[string]Image)} }

func (s *imageStore) Get(ctx context.Context, name string) (Image, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	image, ok := s.images[name]
	if !ok {
		return Image{}, fmt.Errorf("image %q: %w", name, ErrNotFound)
	}
	return image, nil
}

func (s *imageStore) Create(ctx context.Context, image Image) (Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.images[image.Name]; ok {
		return Image{}, fmt.Errorf("image %q: %w", image.Name, ErrAlreadyExists)
	}
	image.Labels = maps.Clone(image.Labels)
	s.images[image.Name] = image
	return image, nil
}

func (s *imageStore) Update(ctx context.Context, image Image, fieldpaths ...string) (Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	updated, ok := s.images[image.Name]
	if !ok {
		return Image{}, fmt.Errorf("image %q: %w", image.Name, ErrNotFound)
	}
	if len(fieldpaths) == 0 {
		fieldpaths = []string{"labels", "target"}
	}
	for _, path := range fieldpaths {
		switch path {
		case "labels":
			updated.Labels = maps.Clone(image.Labels)
		case "target":
			updated.Target = image.Target
		default:
			return Image{}, fmt.Errorf("cannot update %q", path)
		}
	}
	s.images[image.Name] = updated
	return updated, nil
}

func (s *imageStore) Delete(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.images[name]; !ok {
		return fmt.Errorf("image %q: %w", name, ErrNotFound)
	}
	delete(s.images, name)
	return nil
}

// Resolver finds and fetches content.
type Resolver interface {
	Resolve(ctx context.Context, ref string) (name string, desc Descriptor, err error)
	Fetch(ctx context.Context, desc Descriptor) error
}

// Client is the client of the daemon. It may be used by many goroutines.
type Client struct {
	resolver Resolver
	images   Store
}

// New returns a client.
func New(resolver Resolver, images Store) *Client {
	return &Client{resolver: resolver, images: images}
}

// ImageService returns the underlying image store.
func (c *Client) ImageService() Store { return c.images }

// Pull downloads the provided content and returns the image.
func (c *Client) Pull(ctx context.Context, ref string, labels map[string]string) (Image, error) {
	name, desc, err := c.resolver.Resolve(ctx, ref)
	if err != nil {
		return Image{}, fmt.Errorf("failed to resolve reference %q: %w", ref, err)
	}
	if err := c.resolver.Fetch(ctx, desc); err != nil {
		return Image{}, err
	}
	return c.createNewImage(ctx, Image{Name: name, Target: desc, Labels: labels})
}

func (c *Client) createNewImage(ctx context.Context, img Image) (Image, error) {
	is := c.ImageService()
	updated, err := is.Update(ctx, img, "target")
	if err == nil {
		return updated, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return Image{}, err
	}

	created, err := is.Create(ctx, img)
	if err != nil {
		return Image{}, err
	}
	return created, nil
}

// Remove removes an image.
func (c *Client) Remove(ctx context.Context, name string) error {
	if err := c.images.Delete(ctx, name); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Package catalog serves product data from a cache in front of the database.
package catalog

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
)

// Product is a row of the product table.
type Product struct {
	SKU   string `json:"sku"`
	Title string `json:"title"`
	Cents int64  `json:"cents"`
}

// DB is the product database.
type DB interface {
	Find(ctx context.Context, sku string) (Product, error)
	Save(ctx context.Context, p Product) error
}

// cache has no expiry; entries live until they are invalidated.
type cache struct {
	mu      sync.RWMutex
	entries map[string]Product
	epoch   uint64 // number of invalidations
}

// get also returns the epoch to be passed to put after a miss.
func (c *cache) get(sku string) (Product, uint64, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok := c.entries[sku]
	return p, c.epoch, ok
}

// put stores p unless something was invalidated since epoch.
func (c *cache) put(p Product, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch == epoch {
		c.entries[p.SKU] = p
	}
}

func (c *cache) invalidate(sku string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, sku)
	c.epoch++
}

// Catalog is shared by the shop front and the back office.
type Catalog struct {
	db    DB
	cache cache
}

func New(db DB) *Catalog {
	return &Catalog{db: db, cache: cache{entries: make(map[string]Product)}}
}

// Product returns the current data of a product.
func (c *Catalog) Product(ctx context.Context, sku string) (Product, error) {
	p, epoch, ok := c.cache.get(sku)
	if ok {
		return p, nil
	}
	p, err := c.db.Find(ctx, sku)
	if err != nil {
		return Product{}, err
	}
	c.cache.put(p, epoch)
	return p, nil
}

// Update saves the product and drops the cached copy.
func (c *Catalog) Update(ctx context.Context, p Product) error {
	if err := c.db.Save(ctx, p); err != nil {
		return err
	}
	c.cache.invalidate(p.SKU)
	return nil
}

// Get handles GET /products/{sku}.
func (c *Catalog) Get(w http.ResponseWriter, r *http.Request) {
	p, err := c.Product(r.Context(), r.PathValue("sku"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(p)
}

// Put handles PUT /products/{sku}.
func (c *Catalog) Put(w http.ResponseWriter, r *http.Request) {
	var p Product
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.SKU = r.PathValue("sku")
	if err := c.Update(r.Context(), p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

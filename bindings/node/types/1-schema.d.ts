/** A value or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** JSON Schema, in any of the dialects 2020-12 (the default), 2019-09, draft-07, draft-06 and draft-04. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A schema of zod 4.2 and later, arktype, valibot (by `toStandardJsonSchema`) or any other library with both standards. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** JSON Schema or a Standard Schema. */
export type Schema = StandardSchema | JsonSchema;

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
type ObjectOf<S> = S extends { readonly properties: infer P }
  ? { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromJsonSchema<P[K]> } & {
      -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<P[K]>;
    }
  : Record<string, unknown>;
type TypeOf<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? S extends { readonly items: infer I }
            ? FromJsonSchema<I>[]
            : unknown[]
          : T extends 'object'
            ? ObjectOf<S>
            : unknown;

/** The type of what a JSON Schema, written as a literal, describes; `unknown` where it says too much for TypeScript. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer A)[] }
        ? FromJsonSchema<A>
        : S extends { readonly type: readonly (infer T)[] }
          ? TypeOf<T, S>
          : S extends { readonly type: infer T }
            ? TypeOf<T, S>
            : S extends { readonly properties: unknown }
              ? ObjectOf<S>
              : unknown;

/** What a handler gets for a schema. */
export type Parsed<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : unknown extends FromJsonSchema<S>
    ? Record<string, any>
    : FromJsonSchema<S>;

/** What a handler returns for a schema. */
export type Returned<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : FromJsonSchema<S>;

type Split<N extends string> = N extends `${infer A},${infer B}` ? A | Split<B> : N;
type Expression<E extends string> = E extends `?${infer N}` | `&${infer N}`
  ? { [K in Split<N>]?: string }
  : E extends `+${infer N}` | `#${infer N}` | `/${infer N}`
    ? { [K in Split<N>]: string }
    : { [K in Split<E>]: string };

/** The variables of a uri template. */
export type Variables<T extends string> = string extends T
  ? Record<string, string>
  : T extends `${string}{${infer E}}${infer Rest}`
    ? Expression<E> & Variables<Rest>
    : {};
